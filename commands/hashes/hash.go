package hashes

import (
	"cellserver/commands"
	"cellserver/store"
	"cellserver/store/hash"
)

// readHash returns the hash of a key, without fields if the key is absent. The error is
// [commands.ErrWrongType].
func readHash(c *commands.Call, key []byte) (hash.Hash, error) {
	e := c.Tx.Read(key)
	if err := commands.CheckKind(&e, store.Hash); err != nil {
		return hash.Hash{}, err
	}
	return e.Hash(), nil
}

// writeHash finds the key of a command that changes a hash.
func writeHash(c *commands.Call) (store.Entry, error) {
	e := c.Tx.Write(c.Args[1])
	return e, commands.CheckKind(&e, store.Hash)
}

// changeSteps is how many steps ([commands.Call.TakesSteps]) it takes to change a field, once it is found.
const changeSteps = 5

// takesChanges returns [commands.TakesLong] if n changes of a hash take long.
func takesChanges(c *commands.Call, e *store.Entry, n int) error {
	return c.TakesSteps(n * (changeSteps + e.Hash().Seek()))
}

// setField gives a field its value, and reports whether the field is new.
func setField(e *store.Entry, field, val []byte) (added bool) {
	added, _ = e.Change(hash.Set, store.Operands{Value: field, More: val})
	return added
}
