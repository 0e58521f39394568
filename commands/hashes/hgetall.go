package hashes

import (
	"cellserver/commands"
	"cellserver/store/hash"
)

// HGETALL key replies with all fields and values: a map in RESP3. HKEYS key replies with the fields, HVALS
// key with the values, and HLEN key with the number of fields. A small hash has its fields in the order in
// which they were added.
var (
	_ = registerParts("hgetall", true, true)
	_ = registerParts("hkeys", true, false)
	_ = registerParts("hvals", false, true)
	_ = commands.Register(&commands.Command{
		Name: "hlen", Arity: 2, Flags: commands.ReadOnly | commands.Fast, Keys: commands.OneKey.With("RO"),
		Group: commands.GroupHash, Run: values.Len(),
	})
)

func registerParts(name string, fields, vals bool) *commands.Command {
	return commands.Register(&commands.Command{
		Name: name, Arity: 2, Flags: commands.ReadOnly, Keys: commands.OneKey, Group: commands.GroupHash,
		Tips: commands.NondeterministicOrder, Cost: commands.CostOfValue,
		Run: values.Reply(func(c *commands.Call, h hash.Hash) { replyHash(c, h, fields, vals) }),
	})
}

// replyHash replies with all fields, all values, or both.
func replyHash(c *commands.Call, h hash.Hash, fields, vals bool) {
	out := c.Out
	if fields && vals {
		out.Map(h.Len())
	} else {
		out.Array(h.Len())
	}
	h.Each(func(field, val []byte) bool {
		if fields {
			out.Bulk(field)
		}
		if vals {
			out.Bulk(val)
		}
		return !out.Over()
	})
}
