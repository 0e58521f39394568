package keys

import "cellserver/commands"

// COPY source destination [DB destination-db] [REPLACE] copies a key with its expiry. It replies 1,
// or 0 if it copies nothing: the source is absent, or the destination exists and REPLACE is not
// given.
var _ = commands.Register(&commands.Command{
	Name: "copy", Arity: -3, Flags: commands.Write | commands.DenyOOM,
	Keys: commands.TwoKeys.With("RO ACCESS; OW UPDATE"), Group: commands.GroupGeneric, Run: copyKey,
	Cost: commands.CostOfValue,
})

const errCopyInCluster commands.Error = "ERR Copying to another database is not allowed in cluster mode"

func copyKey(c *commands.Call) error {
	db, replace, err := copyOptions(c)
	if err != nil {
		return err
	}
	from, to := c.Args[1], c.Args[2]
	if c.HasSlots() && db != 0 {
		return errCopyInCluster
	}
	if db == c.Tx.DB() && string(from) == string(to) {
		return commands.ErrSameObject
	}
	e := c.Tx.Read(from)
	if !e.Exists() || !replace && c.ExistsIn(db, to) {
		c.Out.Int(0)
		return nil
	}
	e.CopyTo(db, to)
	c.NotifyIn(db, commands.GenericEvents, "copy_to", to)
	c.Out.Int(1)
	return nil
}

func copyOptions(c *commands.Call) (db int, replace bool, err error) {
	db = c.Tx.DB()
	for i := 3; i < len(c.Args); i++ {
		switch {
		case commands.Is(c.Args[i], "replace"):
			replace = true
		case commands.Is(c.Args[i], "db") && i+1 < len(c.Args):
			i++
			if db, err = c.Database(i); err != nil {
				return 0, false, err
			}
		default:
			return 0, false, commands.ErrSyntax
		}
	}
	return db, replace, nil
}
