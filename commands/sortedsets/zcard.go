package sortedsets

import "cellserver/commands"

// ZCARD key replies with the number of members.
var _ = commands.Register(&commands.Command{
	Name: "zcard", Arity: 2, Flags: commands.ReadOnly | commands.Fast, Run: values.Len(),
	Group: commands.GroupSortedSet,
	Keys:  commands.OneKey.With("RO"), // without ACCESS: the reply has no data of the members
})
