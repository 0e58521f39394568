package sortedsets

import (
	"cellserver/commands"
	"cellserver/store"
)

// ZUNION numkeys key [key …] [WEIGHTS weight …] [AGGREGATE SUM | MIN | MAX] [WITHSCORES] replies
// with the members of all sets. If a member is in several sets, its weighted scores are aggregated.
// ZUNIONSTORE destination … stores the members and replies with their number.
var (
	_ = commands.Register(&commands.Command{
		Name: "zunion", Arity: -3, Flags: commands.ReadOnly, Keys: commands.Keys{NumKeys: 1},
		Group: commands.GroupSortedSet, Cost: costOfCombination,
		Run: func(c *commands.Call) error { return combine(c, weighable, (*combination).union) },
	})
	_ = commands.Register(&commands.Command{
		Name: "zunionstore", Arity: -4, Flags: commands.Write | commands.DenyOOM, Keys: combineStoreKeys,
		Group: commands.GroupSortedSet, Cost: costOfCombination,
		Run: func(c *commands.Call) error { return combineStore(c, weighable, (*combination).union) },
	})
)

// combineStoreKeys are the key positions of a destination, a count and the source keys.
var combineStoreKeys = commands.Keys{First: 1, Last: 1, Step: 1, NumKeys: 2, Access: "OW UPDATE; RO ACCESS"}

func (o *combination) union() []store.Item {
	o.smallestFirst()
	var items []store.Item
	place := map[string]int{}
	for _, in := range o.inputs {
		in.each(func(score float64, member []byte) bool {
			score = zeroNaN(in.weigh(score))
			i, seen := place[string(member)]
			if seen {
				items[i].Score = o.aggregate(items[i].Score, score)
			} else {
				it := store.Item{Score: score, Member: string(member)}
				place[it.Member] = len(items)
				items = append(items, it)
			}
			return true
		})
	}
	return items
}
