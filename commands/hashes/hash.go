package hashes

import (
	"cellserver/commands"
	"cellserver/store"
	"cellserver/store/hash"
)

// values are the hashes of keys.
var values = commands.Value[hash.Hash]{
	Kind: store.Hash, Of: func(e store.Entry) hash.Hash { return e.Hash() },
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
