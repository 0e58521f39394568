package keys

import "cellserver/commands"

// RENAME and RENAMENX give a key another name; the expiry stays. If a key of the new name exists,
// RENAME replaces it. RENAMENX then changes nothing and replies 0.
var (
	_ = commands.Register(&commands.Command{
		Name: "rename", Arity: 3, Flags: commands.Write,
		Keys: commands.TwoKeys.With("RW ACCESS DELETE; OW UPDATE"), Group: commands.GroupGeneric,
		Run: func(c *commands.Call) error {
			if _, err := rename(c, true); err != nil {
				return err
			}
			return commands.ReplyOK(c)
		},
	})
	_ = commands.Register(&commands.Command{
		Name: "renamenx", Arity: 3, Flags: commands.Write | commands.Fast,
		Keys: commands.TwoKeys.With("RW ACCESS DELETE; OW INSERT"), Group: commands.GroupGeneric,
		Run: func(c *commands.Call) error {
			done, err := rename(c, false)
			if err != nil {
				return err
			}
			c.ReplyBit(done)
			return nil
		},
	})
)

// rename reports whether the key has got its new name.
func rename(c *commands.Call, replace bool) (done bool, err error) {
	from, to := c.Args[1], c.Args[2]
	e := c.Tx.Write(from)
	if !e.Exists() {
		return false, commands.ErrNoSuchKey
	}
	if string(from) == string(to) {
		return false, nil
	}
	if d := c.Tx.Write(to); d.Exists() && !replace {
		return false, nil
	}
	e.Rename(to)
	c.Notify(commands.GenericEvents, "rename_from", from)
	c.Notify(commands.GenericEvents, "rename_to", to)
	return true, nil
}
