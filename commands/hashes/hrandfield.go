package hashes

import (
	"cellserver/commands"
	"cellserver/store/hash"
)

// HRANDFIELD key [count [WITHVALUES]] replies with a random field, or null. With a positive count it replies
// with count different fields, at most all. With a negative count it replies with exactly -count fields,
// which may repeat.
var _ = commands.Register(&commands.Command{
	Name: "hrandfield", Arity: -2, Flags: commands.ReadOnly, Keys: commands.OneKey,
	Group: commands.GroupHash, Tips: commands.NondeterministicOutput, Run: hrandfield,
	Cost: commands.CostOfRandom("withvalues", seekSteps),
})

func hrandfield(c *commands.Call) error {
	r, err := commands.ParseRandom(c.Args[2:], "withvalues")
	if err != nil {
		return err
	}
	h, err := values.Read(c, c.Args[1])
	if err != nil {
		return err
	}
	var room hash.Room
	return c.ReplyRandom(r, &commands.Members{
		Len: h.Len(), Start: func(n int) { c.StartPairs(n, r.With) },
		Reply: func(rank int) {
			field, val := h.At(rank, &room)
			replyPair(c, field, val, r.With)
		},
		All: func() {
			h.Each(func(field, val []byte) bool {
				replyPair(c, field, val, r.With)
				return !c.Out.Over()
			})
		},
	})
}

// replyPair replies with a field, and with its value if with is set.
func replyPair(c *commands.Call, field, val []byte, with bool) {
	if with && c.Out.Proto == 3 {
		c.Out.Array(2)
	}
	c.Out.Bulk(field)
	if with {
		c.Out.Bulk(val)
	}
}
