package hashes

import (
	"cellserver/commands"
	"cellserver/store/hash"
)

// HDEL key field [field …] removes fields and replies with the number of removed fields.
var _ = commands.Register(&commands.Command{
	Name: "hdel", Arity: -3, Flags: commands.Write | commands.Fast, Keys: commands.OneKey.With("RW DELETE"),
	Group: commands.GroupHash, Run: values.Remove(commands.HashEvents, hash.Delete),
	Cost: commands.CostOfWords(changeSteps),
})
