package sets

import (
	"cellserver/commands"
	"cellserver/store/set"
)

// SINTER key [key …] replies with the members that are in all sets. SUNION replies with the members of any
// set, and SDIFF with the members of the first set that are in no other. SINTERSTORE, SUNIONSTORE and
// SDIFFSTORE destination key [key …] store such members and reply with their number.
var (
	_ = registerCombination("sinter", inter)
	_ = registerCombination("sunion", union)
	_ = registerCombination("sdiff", diff)
	_ = registerStore("sinterstore", inter, "RW UPDATE; RO ACCESS")
	_ = registerStore("sunionstore", union, "OW UPDATE; RO ACCESS")
	_ = registerStore("sdiffstore", diff, "OW UPDATE; RO ACCESS")
)

func registerCombination(name string, of func([]set.Set) members) *commands.Command {
	return commands.Register(&commands.Command{
		Name: name, Arity: -2, Flags: commands.ReadOnly, Keys: commands.AllKeys, Group: commands.GroupSet,
		Tips: commands.NondeterministicOrder, Cost: costOfCombination, Run: combine(of),
	})
}

func registerStore(name string, of func([]set.Set) members, access string) *commands.Command {
	return commands.Register(&commands.Command{
		Name: name, Arity: -3, Flags: commands.Write | commands.DenyOOM,
		Keys: commands.AllKeys.With(access), Group: commands.GroupSet,
		Cost: costOfCombination, Run: combineStore(of),
	})
}
