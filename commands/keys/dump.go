package keys

import (
	"cellserver/commands"
	"cellserver/persistence/rdb"
)

// DUMP key replies with the value of a key as a payload for RESTORE, without the expiry. Every
// Redis since version 5 accepts the payload.
var _ = commands.Register(&commands.Command{
	Name: "dump", Arity: 2, Flags: commands.ReadOnly,
	Keys: commands.OneKey.With("RO ACCESS"), Group: commands.GroupGeneric, Since: "2.6.0",
	Tips: []string{"nondeterministic_output"}, Summary: "Return a serialized version of the value stored at the specified key.", Usage: "key",
	Complexity: "O(1) to access the key and additional O(N*M) to serialize it, where N is the number " +
		"of Redis objects composing the value and M " +
		"their average size. For small string values the time complexity is thus O(1)+O(1*M) where M " +
		"is small, so simply O(1).",
	Run: dump, Cost: commands.CostOfValue,
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
