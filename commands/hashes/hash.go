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

// seekSteps returns how many steps ([commands.Cost]) it takes to find a field.
func seekSteps(e *store.Entry) int { return e.Hash().Seek() }

// changeSteps returns how many steps it takes to find and change a field.
func changeSteps(e *store.Entry) int { return 5 + e.Hash().Seek() }

// setField gives a field its value, and reports whether the field is new.
func setField(e *store.Entry, field, val []byte) (added bool) {
	added, _ = e.Change(hash.Set, store.Operands{Value: field, More: val})
	return added
}
