package lists

import "cellserver/commands"

// BLMPOP timeout numkeys key [key …] <LEFT | RIGHT> [COUNT count] is LMPOP that waits for a list, at most
// timeout seconds, and for ever if it is 0.
var _ = commands.Register(&commands.Command{
	Name: "blmpop", Arity: -5, Flags: commands.Write | commands.Blocking,
	Keys: commands.Keys{NumKeys: 2, Access: "RW ACCESS DELETE"}, Group: commands.GroupList,
	Run: func(c *commands.Call) error { return mpop.RunOrWait(c) }, Cost: mpop.CostFrom(2),
})
