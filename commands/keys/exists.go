package keys

import (
	"cellserver/commands"
	"cellserver/store"
)

// EXISTS and TOUCH reply with the number of keys that exist. A key that is named twice counts
// twice. TOUCH counts as an access to the keys, EXISTS does not.
var (
	_ = registerCount("exists", (*store.Tx).Look)
	_ = registerCount("touch", (*store.Tx).Read)
)

// registerCount registers a command that counts the keys that exist.
func registerCount(name string, find func(*store.Tx, []byte) store.Entry) *commands.Command {
	return commands.Register(&commands.Command{
		Name: name, Arity: -2, Flags: commands.ReadOnly | commands.Fast,
		Keys: commands.AllKeys.With("RO"), Group: commands.GroupGeneric, Tips: commands.MultiShardSum,
		Run: func(c *commands.Call) error {
			n := int64(0)
			for _, key := range c.Args[1:] {
				if e := find(c.Tx, key); e.Exists() {
					n++
				}
			}
			c.Out.Int(n)
			return nil
		},
	})
}
