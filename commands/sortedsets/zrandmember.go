package sortedsets

import (
	"cellserver/commands"
)

// ZRANDMEMBER key [count [WITHSCORES]] replies with a random member, or null. With a positive count
// it replies with count different members, at most all. With a negative count it replies with
// exactly -count members, which may repeat.
var _ = commands.Register(&commands.Command{
	Name: "zrandmember", Arity: -2, Flags: commands.ReadOnly, Keys: commands.OneKey,
	Group: commands.GroupSortedSet, Tips: commands.NondeterministicOutput, Run: zrandmember,
	Cost: commands.CostOfRandom("withscores", seekSteps),
})

func zrandmember(c *commands.Call) error {
	r, err := commands.ParseRandom(c.Args[2:], "withscores")
	if err != nil {
		return err
	}
	z, err := values.Read(c, c.Args[1])
	if err != nil {
		return err
	}
	n := z.Len()
	cursor := z.Cursor()
	return c.ReplyRandom(r, &commands.Members{
		Len: n, Start: func(n int) { c.StartPairs(n, r.With) },
		Reply: func(rank int) {
			score, member := cursor.Item(rank)
			replyItem(c, score, member, r.With)
		},
		All: func() {
			z.Range(0, n, false, func(score float64, member []byte) bool {
				replyItem(c, score, member, r.With)
				return !c.Out.Over()
			})
		},
	})
}
