package sortedsets

import (
	"cellserver/commands"
	"cellserver/store"
)

// ZSCORE key member replies with the score of a member, or null. ZMSCORE key member [member …]
// replies with an array of scores and nulls.
var (
	_ = commands.Register(&commands.Command{
		Name: "zscore", Arity: 3, Flags: commands.ReadOnly | commands.Fast, Keys: commands.OneKey,
		Group: commands.GroupSortedSet, Run: zscore(false),
	})
	_ = commands.Register(&commands.Command{
		Name: "zmscore", Arity: -3, Flags: commands.ReadOnly | commands.Fast, Keys: commands.OneKey,
		Group: commands.GroupSortedSet, Run: zscore(true),
		Cost: commands.CostOfWords(seekSteps),
	})
)

func zscore(asArray bool) func(*commands.Call) error {
	return values.Reply(func(c *commands.Call, z store.SortedSet) {
		members := c.Args[2:]
		if asArray {
			c.Out.Array(len(members))
		}
		for _, m := range members {
			if score, ok := z.Score(m); ok {
				c.Out.Double(score)
			} else {
				c.Out.Null()
			}
		}
	})
}
