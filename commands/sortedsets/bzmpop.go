package sortedsets

import "cellserver/commands"

// BZMPOP timeout numkeys key [key …] <MIN | MAX> [COUNT count] is ZMPOP that waits for a sorted set,
// at most timeout seconds, and for ever if it is 0.
var _ = commands.Register(&commands.Command{
	Name: "bzmpop", Arity: -5, Flags: commands.Write | commands.Blocking,
	Keys: commands.Keys{NumKeys: 2, Access: "RW ACCESS DELETE"}, Group: commands.GroupSortedSet,
	Run: func(c *commands.Call) error { return mpop.RunOrWait(c) }, Cost: mpop.CostFrom(2),
})
