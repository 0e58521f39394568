package sets

import (
	"cellserver/commands"
	"cellserver/store"
	"cellserver/store/set"
)

// seekSteps returns how many steps ([commands.Cost]) it takes to find a member.
func seekSteps(e *store.Entry) int { return e.Set().Seek() }

// changeSteps returns how many steps it takes to find and change a member.
func changeSteps(e *store.Entry) int { return max(10, e.Set().Seek()) }

// values are the sets of keys.
var values = commands.Value[set.Set]{Kind: store.Set, Of: func(e store.Entry) set.Set { return e.Set() }}

func addMember(e *store.Entry, member []byte) (added bool) {
	added, _ = e.Change(set.Add, store.Operands{Value: member})
	return added
}

func removeMember(e *store.Entry, member []byte) (removed bool) {
	_, removed = e.Change(set.Delete, store.Operands{Value: member})
	return removed
}
