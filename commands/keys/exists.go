package keys

import "cellserver/commands"

// EXISTS and TOUCH reply with the number of keys that exist. A key that is named twice counts
// twice. TOUCH counts as an access to the keys, EXISTS does not.
var (
	_ = commands.Register(&commands.Command{
		Name: "exists", Arity: -2, Flags: commands.ReadOnly | commands.Fast,
		Keys: commands.AllKeys.With("RO"), Group: commands.GroupGeneric, Since: "1.0.0",
		Summary: "Determine if a key exists", Usage: "key [key ...]",
		Complexity: "O(N) where N is the number of keys to check.",
		Tips:       commands.MultiShardSum,
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
		Keys: commands.AllKeys.With("RO"), Group: commands.GroupGeneric, Since: "3.2.1",
		Summary: "Alters the last access time of a key(s). Returns the number of existing keys specified.", Usage: "key [key ...]",
		Complexity: "O(N) where N is the number of keys that will be touched.",
		Tips:       commands.MultiShardSum,
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
