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
		Group: commands.GroupSortedSet, Run: zdiff, Cost: costOfCombination,
	})
	_ = commands.Register(&commands.Command{
		Name: "zdiffstore", Arity: -4, Flags: commands.Write | commands.DenyOOM, Keys: combineStoreKeys,
		Group: commands.GroupSortedSet, Run: zdiffstore, Cost: costOfCombination,
	})
)

func zdiff(c *commands.Call) error {
	o, err := combineArgs(c, 1, scorable)
	if err != nil {
		return err
	}
	return o.reply(c, o.diff())
}

func zdiffstore(c *commands.Call) error {
	o, err := combineArgs(c, 2, 0)
	if err != nil {
		return err
	}
	return storeSorted(c, c.Args[1], o.diff())
}

func (o *combination) diff() []store.Item {
	var items []store.Item
	o.inputs[0].each(func(score float64, member []byte) bool {
		for _, in := range o.inputs[1:] {
			if _, found := in.score(member); found {
				return true
			}
		}
		items = append(items, store.Item{Score: score, Member: string(member)})
		return true
	})
	return items
}
