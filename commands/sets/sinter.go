package sets

import "cellserver/commands"

// SINTER key [key …] replies with the members that are in all sets. SUNION replies with the members of any
// set, and SDIFF with the members of the first set that are in no other. SINTERSTORE, SUNIONSTORE and
// SDIFFSTORE destination key [key …] store such members and reply with their number.
var (
	_ = commands.Register(&commands.Command{
		Name: "sinter", Arity: -2, Flags: commands.ReadOnly, Keys: commands.AllKeys,
		Group: commands.GroupSet, Tips: commands.NondeterministicOrder, Cost: costOfCombination,
		Run: combine(inter),
	})
	_ = commands.Register(&commands.Command{
		Name: "sunion", Arity: -2, Flags: commands.ReadOnly, Keys: commands.AllKeys,
		Group: commands.GroupSet, Tips: commands.NondeterministicOrder, Cost: costOfCombination,
		Run: combine(union),
	})
	_ = commands.Register(&commands.Command{
		Name: "sdiff", Arity: -2, Flags: commands.ReadOnly, Keys: commands.AllKeys,
		Group: commands.GroupSet, Tips: commands.NondeterministicOrder, Cost: costOfCombination,
		Run: combine(diff),
	})
	_ = commands.Register(&commands.Command{
		Name: "sinterstore", Arity: -3, Flags: commands.Write | commands.DenyOOM,
		Keys: commands.AllKeys.With("RW UPDATE; RO ACCESS"), Group: commands.GroupSet,
		Cost: costOfCombination, Run: combineStore(inter),
	})
	_ = commands.Register(&commands.Command{
		Name: "sunionstore", Arity: -3, Flags: commands.Write | commands.DenyOOM,
		Keys: commands.AllKeys.With("OW UPDATE; RO ACCESS"), Group: commands.GroupSet,
		Cost: costOfCombination, Run: combineStore(union),
	})
	_ = commands.Register(&commands.Command{
		Name: "sdiffstore", Arity: -3, Flags: commands.Write | commands.DenyOOM,
		Keys: commands.AllKeys.With("OW UPDATE; RO ACCESS"), Group: commands.GroupSet,
		Cost: costOfCombination, Run: combineStore(diff),
	})
)
