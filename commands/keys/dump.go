package keys

import (
	"cellserver/commands"
	"cellserver/persistence/rdb"
)

// DUMP key replies with the value of a key as a payload for RESTORE, without the expiry. Every
// Redis since version 5 accepts the payload.
var _ = commands.Register(&commands.Command{
	Name: "dump", Arity: 2, Flags: commands.ReadOnly, Keys: commands.OneKey.With("RO ACCESS"),
	Group: commands.GroupGeneric, Tips: []string{"nondeterministic_output"}, Run: dump,
	Cost: commands.CostOfValue,
})

func dump(c *commands.Call) error {
	e := c.Tx.Read(c.Args[1])
	if !e.Exists() {
		c.Out.Null()
		return nil
	}
	c.Out.Bulk(rdb.AppendPayload(nil, &e))
	return nil
}
