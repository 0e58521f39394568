package commands

// RENAME and RENAMENX give a key another name. RENAME takes the place of what has that
// name, RENAMENX leaves it and replies 0. The expiry goes along.
var (
	_ = register(&Command{
		Name: "rename", Arity: 3, Flags: Write, Keys: twoKeys.access("RW ACCESS DELETE; OW UPDATE"), Group: Generic, Since: "1.0.0",
		Summary: "Rename a key", Usage: "key newkey", Complexity: "O(1)",
		Run: func(c *Call) error {
			if _, err := c.rename(true); err != nil {
				return err
			}
			return replyOK(c)
		},
	})
	_ = register(&Command{
		Name: "renamenx", Arity: 3, Flags: Write | Fast, Keys: twoKeys.access("RW ACCESS DELETE; OW INSERT"), Group: Generic, Since: "1.0.0",
		Summary: "Rename a key, only if the new key does not exist", Usage: "key newkey", Complexity: "O(1)",
		Run: func(c *Call) error {
			done, err := c.rename(false)
			if err != nil {
				return err
			}
			c.replyDone(done)
			return nil
		},
	})
)

const errNoSuchKey Error = "ERR no such key"

// rename reports whether it gave the key its new name.
func (c *Call) rename(replace bool) (done bool, err error) {
	from, to := c.Args[1], c.Args[2]
	e := c.Tx.Write(from)
	if !e.Exists() {
		return false, errNoSuchKey
	}
	if string(from) == string(to) {
		return false, nil
	}
	if d := c.Tx.Write(to); d.Exists() && !replace {
		return false, nil
	}
	e.MoveTo(c.Tx.DB(), to)
	return true, nil
}
