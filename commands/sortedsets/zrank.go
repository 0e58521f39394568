package sortedsets

import (
	"cellserver/commands"
	"cellserver/store"
)

// ZRANK key member replies with the number of members before the given one, ZREVRANK with the
// number of members after it. Both reply null if the member is absent.
var (
	_ = commands.Register(&commands.Command{
		Name: "zrank", Arity: 3, Flags: commands.ReadOnly | commands.Fast, Keys: commands.OneKey,
		Group: commands.GroupSortedSet, Run: zrank(false),
	})
	_ = commands.Register(&commands.Command{
		Name: "zrevrank", Arity: 3, Flags: commands.ReadOnly | commands.Fast, Keys: commands.OneKey,
		Group: commands.GroupSortedSet, Run: zrank(true),
	})
)

func zrank(reverse bool) func(*commands.Call) error {
	return values.Reply(func(c *commands.Call, z store.SortedSet) {
		rank, ok := z.Rank(c.Args[2])
		switch {
		case !ok:
			c.Out.Null()
		case reverse:
			c.Out.Int(int64(z.Len() - 1 - rank))
		default:
			c.Out.Int(int64(rank))
		}
	})
}
