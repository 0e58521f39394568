package hashes

import (
	"cellserver/commands"
	"cellserver/store"
	"cellserver/store/hash"
)

// HDEL key field [field …] removes fields and replies with the number of removed fields.
var _ = commands.Register(&commands.Command{
	Name: "hdel", Arity: -3, Flags: commands.Write | commands.Fast, Keys: commands.OneKey.With("RW DELETE"),
	Group: commands.GroupHash, Run: hdel, Cost: commands.CostOfWords(changeSteps),
})

func hdel(c *commands.Call) error {
	e, err := writeHash(c)
	if err != nil {
		return err
	}
	removed := int64(0)
	for _, field := range c.Args[2:] {
		if _, changed := e.Change(hash.Delete, store.Operands{Value: field}); changed {
			removed++
		}
	}
	if removed > 0 {
		c.NotifyRemoval(commands.HashEvents, "hdel", &e)
	}
	c.Out.Int(removed)
	return nil
}
