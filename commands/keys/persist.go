package keys

import (
	"cellserver/commands"
	"cellserver/store"
)

// PERSIST key removes the expiry of a key. It replies 1, or 0 if the key had no expiry.
var _ = commands.Register(&commands.Command{
	Name: "persist", Arity: 2, Flags: commands.Write | commands.Fast,
	Keys: commands.OneKey.With("RW UPDATE"), Group: commands.GroupGeneric, Run: persist,
})

func persist(c *commands.Call) error {
	e := c.Tx.Write(c.Args[1])
	if e.ExpireAt() == store.NoExpiry {
		c.Out.Int(0)
		return nil
	}
	e.SetExpiry(store.NoExpiry)
	c.Notify(commands.GenericEvents, "persist", c.Args[1])
	c.Out.Int(1)
	return nil
}
