package sortedsets

import (
	"cellserver/commands"
	"cellserver/store/sortedset"
)

// ZREM key member [member …] removes members and replies with the number of removed members.
var _ = commands.Register(&commands.Command{
	Name: "zrem", Arity: -3, Flags: commands.Write | commands.Fast, Keys: removalKey,
	Group: commands.GroupSortedSet, Cost: costOfChanges,
	Run: values.Remove(commands.SortedEvents, sortedset.Delete),
})

// removalKey is the key of a command that removes members and replies with none of their data.
var removalKey = commands.OneKey.With("RW DELETE")
