package list

import (
	"math/rand/v2"
	"testing"

	"cellserver/store/value"
)

// Model is the naive list, for tests outside of the package.
type Model = model

// Apply changes a model.
func Apply(m Model, how *value.Change, o value.Operands) Model { return m.apply(how, o) }

// Same requires that a list has the elements of a model and keeps the invariants of the package.
func Same(t *testing.T, r *rand.Rand, m Model, c value.Collection) {
	same(t, r, m, c)
	check(t, c)
}
