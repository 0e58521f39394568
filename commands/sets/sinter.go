package sets

import "cellserver/commands"

// SINTER key [key …] replies with the members that are in all sets. SUNION replies with the members of any
// set, and SDIFF with the members of the first set that are in no other. SINTERSTORE, SUNIONSTORE and
// SDIFFSTORE destination key [key …] store such members and reply with their number.
var (
	_ = commands.Register(&commands.Command{
		Name: "sinter", Arity: -2, Flags: commands.ReadOnly,
		Keys: commands.AllKeys, Group: commands.GroupSet, Since: "1.0.0",
		Summary: "Intersect multiple sets", Usage: "key [key ...]", Tips: commands.NondeterministicOrder,
		Complexity: interComplexity, Cost: costOfCombination, Run: combine(inter),
	})
	_ = commands.Register(&commands.Command{
		Name: "sunion", Arity: -2, Flags: commands.ReadOnly,
		Keys: commands.AllKeys, Group: commands.GroupSet, Since: "1.0.0",
		Summary: "Add multiple sets", Usage: "key [key ...]", Tips: commands.NondeterministicOrder,
		Complexity: unionComplexity, Cost: costOfCombination, Run: combine(union),
	})
	_ = commands.Register(&commands.Command{
		Name: "sdiff", Arity: -2, Flags: commands.ReadOnly,
		Keys: commands.AllKeys, Group: commands.GroupSet, Since: "1.0.0",
		Summary: "Subtract multiple sets", Usage: "key [key ...]", Tips: commands.NondeterministicOrder,
		Complexity: unionComplexity, Cost: costOfCombination, Run: combine(diff),
	})
	_ = commands.Register(&commands.Command{
		Name: "sinterstore", Arity: -3, Flags: commands.Write | commands.DenyOOM,
		Group: commands.GroupSet, Since: "1.0.0", Usage: "destination key [key ...]",
		Keys:       commands.AllKeys.With("RW UPDATE; RO ACCESS"),
		Summary:    "Intersect multiple sets and store the resulting set in a key",
		Complexity: interComplexity, Cost: costOfCombination, Run: combineStore(inter),
	})
	_ = commands.Register(&commands.Command{
		Name: "sunionstore", Arity: -3, Flags: commands.Write | commands.DenyOOM,
		Group: commands.GroupSet, Since: "1.0.0", Usage: "destination key [key ...]",
		Keys:       commands.AllKeys.With("OW UPDATE; RO ACCESS"),
		Summary:    "Add multiple sets and store the resulting set in a key",
		Complexity: unionComplexity, Cost: costOfCombination, Run: combineStore(union),
	})
	_ = commands.Register(&commands.Command{
		Name: "sdiffstore", Arity: -3, Flags: commands.Write | commands.DenyOOM,
		Group: commands.GroupSet, Since: "1.0.0", Usage: "destination key [key ...]",
		Keys:       commands.AllKeys.With("OW UPDATE; RO ACCESS"),
		Summary:    "Subtract multiple sets and store the resulting set in a key",
		Complexity: unionComplexity, Cost: costOfCombination, Run: combineStore(diff),
	})
)

const (
	interComplexity = "O(N*M) worst case where N is the cardinality of the smallest set " +
		"and M is the number of sets."
	unionComplexity = "O(N) where N is the total number of elements in all given sets."
)
