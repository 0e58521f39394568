package sets

import (
	"cellserver/commands"
	"cellserver/store"
	"cellserver/store/set"
)

// changeSteps is how many steps ([commands.Call.TakesSteps]) it takes to find and remove a member.
const changeSteps = 10

// takesChanges returns [commands.TakesLong] if n changes of a set take long.
func takesChanges(c *commands.Call, e *store.Entry, n int) error {
	return c.TakesSteps(n * max(changeSteps, e.Set().Seek()))
}

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
