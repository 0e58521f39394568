package reservation

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"cellserver/internal/randtest"

	"github.com/stretchr/testify/require"
)

// released returns a random record with what its release says.
func released(r *rand.Rand) Record {
	one := random(r, fmt.Sprint("id", r.IntN(9)), r.Int64N(1e18))
	return Record{ID: one.ID, Hash: one.Hash, At: one.End - r.Int64N(1e15), End: one.End, Quantity: r.Int64(), Marks: one.Marks}
}

// TestReleases: a release says what the record said, releases sort by their ends, and their times move together.
func TestReleases(t *testing.T) {
	r := rand.New(randtest.Source(t))
	var got Record
	for range 1000 {
		a, b := released(r), released(r)
		first, second := string(a.AppendRelease(nil)), string(b.AppendRelease(nil))
		require.True(t, ReadRelease(&got, []byte(first)))
		require.Equal(t, len(a.Marks), len(got.Marks))
		a.Marks, got.Marks = append([]Mark{}, a.Marks...), append([]Mark{}, got.Marks...)
		require.Equal(t, a, got)
		if a.End != b.End {
			require.Equal(t, a.End < b.End, first < second)
		}
	}
}

// FuzzRelease: no bytes panic, and what is a release has one form only.
func FuzzRelease(f *testing.F) {
	one := released(rand.New(rand.NewPCG(1, 2)))
	f.Add(one.AppendRelease(nil))
	f.Add([]byte(releaseHeader))
	f.Add([]byte("1700000000123456789x3"))
	f.Fuzz(func(t *testing.T, release []byte) {
		var r, again Record
		if !ReadRelease(&r, release) {
			return
		}
		require.True(t, ReadRelease(&again, r.AppendRelease(nil)))
		require.Equal(t, r, again)
	})
}
