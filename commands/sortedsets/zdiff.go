package sortedsets

import (
	"cellserver/commands"
	"cellserver/store"
)

// ZDIFF numkeys key [key …] [WITHSCORES] replies with the members of the first set that are in no
// other set. ZDIFFSTORE destination … stores them and replies with their number.
var (
	_ = commands.Register(&commands.Command{
		Name: "zdiff", Arity: -3, Flags: commands.ReadOnly, Keys: commands.Keys{NumKeys: 1},
		Group: commands.GroupSortedSet, Cost: costOfCombination,
		Run: func(c *commands.Call) error { return combine(c, 0, (*combination).diff) },
	})
	_ = commands.Register(&commands.Command{
		Name: "zdiffstore", Arity: -4, Flags: commands.Write | commands.DenyOOM, Keys: combineStoreKeys,
		Group: commands.GroupSortedSet, Cost: costOfCombination,
		Run: func(c *commands.Call) error { return combineStore(c, 0, (*combination).diff) },
	})
)

// diff returns the items of the first set whose members are in no other. The time is that of the sizes of all
// sets. It compares the first set with each other one, and searches the larger for members of the smaller.
func (o *combination) diff() []store.Item {
	first, gone := &o.inputs[0], map[string]struct{}{}
	for i := range o.inputs[1:] {
		few, many := &o.inputs[i+1], first
		if many.len() < few.len() {
			few, many = many, few
		}
		few.each(func(_ float64, member []byte) bool {
			if _, found := many.score(member); found {
				gone[string(member)] = struct{}{}
			}
			return true
		})
	}
	var items []store.Item
	first.each(func(score float64, member []byte) bool {
		if _, is := gone[string(member)]; !is {
			items = append(items, store.Item{Score: score, Member: string(member)})
		}
		return true
	})
	return items
}
