package pending

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"cellserver/internal/randtest"
	"cellserver/store"

	"github.com/stretchr/testify/require"
)

// randomUndo returns an undo as a transaction gives it: a key is absent, has an integer or something else, or the undo is
// of a whole database.
func randomUndo(r *rand.Rand) store.Undo {
	u := store.Undo{Before: store.Image{DB: r.IntN(300), Key: []byte(fmt.Sprint(make([]byte, r.IntN(100)), r.Uint64())), ExpireAt: store.NoExpiry}}
	u.Held = int64(r.IntN(1000))
	switch r.IntN(6) {
	case 0, 1:
		u.Before.Kind, u.Before.Int, u.Before.ExpireAt, u.Access = store.Int, int64(r.Uint64()), int64(r.Uint64()), r.Uint32()
	case 2:
		u.Before.Kind, u.Before.Bytes, u.Access = store.Raw, []byte("value"), r.Uint32()
	case 3:
		fill(&u.Whole)
	}
	return u
}

func TestUndosComeBackInTheirOrder(t *testing.T) {
	r := rand.New(randtest.Source(t))
	var l undos
	for range 200 {
		var want []store.Undo
		wholes := 0
		for range r.IntN(50) {
			u := randomUndo(r)
			given := u
			given.Before.Key = append([]byte(nil), u.Before.Key...)
			l.add([]store.Undo{given})
			clear(given.Before.Key) // the store uses the room for other keys
			if u.OfKey() && u.Before.Kind != store.Raw {
				u.Held = 0 // the log counts its own bytes
			}
			if !u.OfKey() {
				wholes++
			}
			want = append(want, u)
		}
		require.Equal(t, want, l.appendTo(nil))
		require.GreaterOrEqual(t, l.bytes, int64(len(l.packed)))
		require.Len(t, l.reset(), wholes)
		require.Zero(t, l.bytes)
		require.Empty(t, l.appendTo(nil))
	}
}
