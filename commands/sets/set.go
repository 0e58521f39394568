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

// readSet returns the set of a key, without members if the key is absent. The error is
// [commands.ErrWrongType].
func readSet(c *commands.Call, key []byte) (set.Set, error) {
	e := c.Tx.Read(key)
	if err := commands.CheckKind(&e, store.Set); err != nil {
		return set.Set{}, err
	}
	return e.Set(), nil
}

// writeSet finds a key for a command that changes its set.
func writeSet(c *commands.Call, key []byte) (store.Entry, error) {
	e := c.Tx.Write(key)
	return e, commands.CheckKind(&e, store.Set)
}

func addMember(e *store.Entry, member []byte) (added bool) {
	added, _ = e.Change(set.Add, store.Operands{Value: member})
	return added
}

func removeMember(e *store.Entry, member []byte) (removed bool) {
	_, removed = e.Change(set.Delete, store.Operands{Value: member})
	return removed
}
