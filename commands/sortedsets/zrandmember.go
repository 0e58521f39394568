package sortedsets

import (
	"cellserver/commands"
	"cellserver/store"
)

// ZRANDMEMBER key [count [WITHSCORES]] replies with a random member, or null. With a positive count
// it replies with count different members, at most all. With a negative count it replies with
// exactly -count members, which may repeat.
var _ = commands.Register(&commands.Command{
	Name: "zrandmember", Arity: -2, Flags: commands.ReadOnly,
	Keys: commands.OneKey, Group: commands.GroupSortedSet, Since: "6.2.0",
	Summary: "Get one or multiple random elements from a sorted set", Usage: "key [count [WITHSCORES]]",
	Complexity: "O(N) where N is the number of elements returned",
	Tips:       commands.NondeterministicOutput,
	Run:        zrandmember, Cost: commands.CostOfRandom("withscores", nil),
})

func zrandmember(c *commands.Call) error {
	r, err := commands.ParseRandom(c.Args[2:], "withscores")
	if err != nil {
		return err
	}
	z, err := readSorted(c, c.Args[1])
	n := 0
	switch {
	case err != nil:
		return err
	case z != nil:
		n = z.Len()
	}
	return c.ReplyRandom(r, &commands.Members{
		Len: n, Start: func(n int) { c.StartPairs(n, r.With) },
		Reply: func(rank int) { replyItem(c, z.At(rank), r.With) },
		All: func() {
			z.Range(0, n, false, func(it store.Item) bool {
				replyItem(c, it, r.With)
				return !c.Out.Over()
			})
		},
	})
}
