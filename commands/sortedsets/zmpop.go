package sortedsets

import (
	"cellserver/commands"
	"cellserver/commands/multipop"
	"cellserver/store"
)

// ZMPOP numkeys key [key …] <MIN | MAX> [COUNT count] removes items of the first key that exists. It replies
// with the key and the removed items, or null.
var _ = commands.Register(&commands.Command{
	Name: "zmpop", Arity: -4, Flags: commands.Write,
	Keys: commands.Keys{NumKeys: 1, Access: "RW ACCESS DELETE"}, Group: commands.GroupSortedSet,
	Run: func(c *commands.Call) error { return mpop.Run(c) }, Cost: mpop.CostFrom(1),
})

var mpop = &multipop.Family{
	Kind: store.Sorted, Ends: [2]string{"min", "max"}, Cost: costOfPop,
	Pop: func(c *commands.Call, e *store.Entry, highest bool, count int64) {
		items := popItems(c, e, count, highest)
		c.Out.Array(len(items))
		for _, it := range items {
			c.Out.Array(2)
			c.Out.BulkString(it.Member)
			c.Out.Double(it.Score)
		}
	},
}
