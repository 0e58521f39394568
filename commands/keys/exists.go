package keys

import "cellserver/commands"

// EXISTS and TOUCH reply with the number of keys that exist. A key that is named twice counts
// twice. TOUCH counts as an access to the keys, EXISTS does not.
var (
	_ = commands.Register(&commands.Command{
		Name: "exists", Arity: -2, Flags: commands.ReadOnly | commands.Fast,
		Keys: commands.AllKeys.With("RO"), Group: commands.GroupGeneric, Tips: commands.MultiShardSum,
		Run: func(c *commands.Call) error {
			n := int64(0)
			for _, key := range c.Args[1:] {
				if e := c.Tx.Peek(key); e.Exists() {
					n++
				}
			}
			c.Out.Int(n)
			return nil
		},
	})
	_ = commands.Register(&commands.Command{
		Name: "touch", Arity: -2, Flags: commands.ReadOnly | commands.Fast,
		Keys: commands.AllKeys.With("RO"), Group: commands.GroupGeneric, Tips: commands.MultiShardSum,
		Run: func(c *commands.Call) error {
			n := int64(0)
			for _, key := range c.Args[1:] {
				if e := c.Tx.Read(key); e.Exists() {
					n++
				}
			}
			c.Out.Int(n)
			return nil
		},
	})
)
