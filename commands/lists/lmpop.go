package lists

import (
	"cellserver/commands"
	"cellserver/commands/multipop"
	"cellserver/store"
)

// LMPOP numkeys key [key …] <LEFT | RIGHT> [COUNT count] removes elements of the first key that exists. It
// replies with the key and the removed elements, or null.
var _ = commands.Register(&commands.Command{
	Name: "lmpop", Arity: -4, Flags: commands.Write,
	Keys: commands.Keys{NumKeys: 1, Access: "RW ACCESS DELETE"}, Group: commands.GroupList,
	Run: func(c *commands.Call) error { return mpop.Run(c) }, Cost: mpop.CostFrom(1),
})

var mpop = &multipop.Family{
	Kind: store.List, Ends: [2]string{"left", "right"},
	Cost: func(c *commands.Call, key []byte, isLast bool, count int64) int {
		return costOfPop(peekList(c, key), endOf(isLast), count)
	},
	Pop: func(c *commands.Call, e *store.Entry, isLast bool, count int64) {
		popElements(c, e, endOf(isLast), count, c.Out.Array)
	},
}

func endOf(isLast bool) *end {
	if isLast {
		return last
	}
	return first
}
