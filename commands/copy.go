package commands

// COPY source destination [DB destination-db] [REPLACE] copies a key with its expiry,
// and replies whether it did: not when there is no source, nor, without REPLACE, when
// there is a destination.
var _ = register(&Command{
	Name: "copy", Arity: -3, Flags: Write | DenyOOM, Keys: twoKeys.access("RO ACCESS; OW UPDATE"), Group: Generic, Since: "6.2.0",
	Summary: "Copy a key", Usage: "source destination [DB destination-db] [REPLACE]",
	Complexity: "O(N) worst case for collections, where N is the number of nested items. O(1) for string values.", Run: copyKey,
})

func copyKey(c *Call) error {
	db, replace, err := c.copyOptions()
	if err != nil {
		return err
	}
	from, to := c.Args[1], c.Args[2]
	if c.Server.Config().ClusterEnabled && db != 0 {
		return errCopyInCluster
	}
	if db == c.Tx.DB() && string(from) == string(to) {
		return errSameObject
	}
	e := c.Tx.Read(from)
	if !e.Exists() || !replace && c.existsIn(db, to) {
		c.Out.Int(0)
		return nil
	}
	e.CopyTo(db, to)
	c.Out.Int(1)
	return nil
}

func (c *Call) copyOptions() (db int, replace bool, err error) {
	db = c.Tx.DB()
	for i := 3; i < len(c.Args); i++ {
		switch {
		case is(c.Args[i], "replace"):
			replace = true
		case is(c.Args[i], "db") && i+1 < len(c.Args):
			i++
			if db, err = c.database(i); err != nil {
				return 0, false, err
			}
		default:
			return 0, false, errSyntax
		}
	}
	return db, replace, nil
}
