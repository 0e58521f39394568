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
		Group: commands.GroupSortedSet, Run: zunion, Cost: costOfCombination,
	})
	_ = commands.Register(&commands.Command{
		Name: "zunionstore", Arity: -4, Flags: commands.Write | commands.DenyOOM, Keys: combineStoreKeys,
		Group: commands.GroupSortedSet, Run: zunionstore, Cost: costOfCombination,
	})
)

// combineStoreKeys are the key positions of a destination, a count and the source keys.
var combineStoreKeys = commands.Keys{First: 1, Last: 1, Step: 1, NumKeys: 2, Access: "OW UPDATE; RO ACCESS"}

func zunion(c *commands.Call) error {
	o, err := combineArgs(c, 1, weighable|scorable)
	if err != nil {
		return err
	}
	return o.reply(c, o.union())
}

func zunionstore(c *commands.Call) error {
	o, err := combineArgs(c, 2, weighable)
	if err != nil {
		return err
	}
	return storeSorted(c, c.Args[1], o.union())
}

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
