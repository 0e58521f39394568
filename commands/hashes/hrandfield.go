package hashes

import (
	"cellserver/commands"
	"cellserver/store/hash"
)

// HRANDFIELD key [count [WITHVALUES]] replies with a random field, or null. With a positive count it replies with count
// different fields, at most all. With a negative count it replies with exactly -count fields, which may repeat.
var _ = commands.Register(&commands.Command{
	Name: "hrandfield", Arity: -2, Flags: commands.ReadOnly | commands.Linear, Keys: commands.OneKey, Group: commands.GroupHash, Since: "6.2.0",
	Summary: "Get one or multiple random fields from a hash", Usage: "key [count [WITHVALUES]]",
	Complexity: "O(N) where N is the number of fields returned",
	Tips:       commands.NondeterministicOutput, Run: hrandfield, Steps: commands.StepsOfRandom("withvalues"),
})

func hrandfield(c *commands.Call) error {
	r, err := commands.ParseRandom(c.Args[2:], "withvalues")
	if err != nil {
		return err
	}
	h, err := readHash(c, c.Args[1])
	n := h.Len()
	var room hash.Room
	switch {
	case err != nil:
		return err
	case n == 0 && r.One:
		c.Out.Null()
	case n == 0:
		c.Out.Array(0)
	case r.One:
		field, _ := h.At(c.RandomRank(n), &room)
		c.Out.Bulk(field)
	default:
		return c.ReplyRandom(r, n, func(n int) { startPairs(c, n, r.With) }, func(rank int) {
			field, val := h.At(rank, &room)
			replyPair(c, field, val, r.With)
		}, func() {
			h.Each(func(field, val []byte) bool {
				replyPair(c, field, val, r.With)
				return true
			})
		})
	}
	return nil
}

// startPairs starts the reply of n fields; [replyPair] writes each. With values, RESP3 has an array of pairs and RESP2 a
// flat array.
func startPairs(c *commands.Call, n int, with bool) {
	if with && c.Out.Proto != 3 {
		n *= 2
	}
	c.Out.Array(n)
}

func replyPair(c *commands.Call, field, val []byte, with bool) {
	if with && c.Out.Proto == 3 {
		c.Out.Array(2)
	}
	c.Out.Bulk(field)
	if with {
		c.Out.Bulk(val)
	}
}
