package sortedsets

import (
	"cellserver/commands"
	"cellserver/store"
)

// ZINTER numkeys key [key …] [WEIGHTS weight …] [AGGREGATE SUM | MIN | MAX] [WITHSCORES] replies
// with the members that are in all sets, with their weighted and aggregated scores. ZINTERSTORE
// destination … stores them and replies with their number. ZINTERCARD numkeys key [key …] [LIMIT
// limit] replies with their number, at most limit.
var (
	_ = commands.Register(&commands.Command{
		Name: "zinter", Arity: -3, Flags: commands.ReadOnly, Keys: commands.Keys{NumKeys: 1},
		Group: commands.GroupSortedSet, Cost: costOfCombination,
		Run: func(c *commands.Call) error { return combine(c, weighable, (*combination).inter) },
	})
	_ = commands.Register(&commands.Command{
		Name: "zinterstore", Arity: -4, Flags: commands.Write | commands.DenyOOM, Keys: combineStoreKeys,
		Group: commands.GroupSortedSet, Cost: costOfCombination,
		Run: func(c *commands.Call) error { return combineStore(c, weighable, (*combination).inter) },
	})
	_ = commands.Register(&commands.Command{
		Name: "zintercard", Arity: -3, Flags: commands.ReadOnly, Keys: commands.Keys{NumKeys: 1},
		Group: commands.GroupSortedSet, Run: zintercard, Cost: costOfCombination,
	})
)

func zintercard(c *commands.Call) error {
	o, err := combineArgs(c, 1, limitable)
	if err != nil {
		return err
	}
	n := int64(0)
	o.eachCommon(func(float64, []byte) bool {
		n++
		return n != o.limit
	})
	c.Out.Int(n)
	return nil
}

func (o *combination) inter() []store.Item {
	var items []store.Item
	o.eachCommon(func(score float64, member []byte) bool {
		items = append(items, store.Item{Score: score, Member: string(member)})
		return true
	})
	return items
}

// eachCommon calls f for every member that is in all inputs, until f returns false.
func (o *combination) eachCommon(f func(score float64, member []byte) bool) {
	o.smallestFirst()
	first := &o.inputs[0]
	first.each(func(sum float64, member []byte) bool {
		sum = zeroNaN(first.weigh(sum))
		for i := range o.inputs[1:] {
			in := &o.inputs[i+1]
			score, ok := in.score(member)
			if !ok {
				return true
			}
			sum = o.aggregate(sum, in.weigh(score))
		}
		return f(sum, member)
	})
}
