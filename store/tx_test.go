package store

import (
	"bytes"
	"math"
	"testing"

	"cellserver/store/table"

	"github.com/stretchr/testify/require"
)

// inlineKeyMax is the longest key in an arena; longer keys lie in the slab.
const inlineKeyMax = 1024

// TestKeysOfEveryLength crosses every boundary of the cell's layout, with every change
// a cell can go through.
func TestKeysOfEveryLength(t *testing.T) {
	s := New(Options{Databases: 1, Seed: 1})
	tx := whole(s, testNow)
	defer tx.End()
	soon := testNow/1e6 + 1000
	for _, n := range []int{0, 1, 2, 3, 4, 5, 16, 255, 256, inlineKeyMax - 1, inlineKeyMax, inlineKeyMax + 1, 1<<16 - 1, 1 << 16, 2 << 20} {
		key := bytes.Repeat([]byte("k"), n)
		e := tx.Write(key)
		require.False(t, e.Exists(), "length %d", n)
		e.SetInt(testNow+5e9, table.CeilMillis(testNow+5e9))
		require.Equal(t, testNow/1e6+5000, e.ExpireAt())
		e.SetExpiry(soon) // the expiry does not follow from the TAT any more: the cell widens
		require.Equal(t, soon, e.ExpireAt())
		require.Equal(t, testNow+5e9, e.Int())
		e.SetExpiry(NoExpiry)
		require.Equal(t, NoExpiry, e.ExpireAt())
		e.SetInt(math.MinInt64, soon)
		require.Equal(t, len("-9223372036854775808!"), e.SetRange(20, []byte("!")))
		require.Equal(t, "-9223372036854775808!", string(e.Bytes(nil)))
		require.Equal(t, soon, e.ExpireAt())
		e.CopyTo(0, append([]byte("copy of "), key...))
		checkInvariants(t, tx)
		e.Rename(append([]byte("moved "), key...))
		require.False(t, e.Exists())
		for _, prefix := range []string{"copy of ", "moved "} {
			d := tx.Write(append([]byte(prefix), key...))
			require.Equal(t, "-9223372036854775808!", string(d.Bytes(nil)))
			require.Equal(t, soon, d.ExpireAt())
			require.True(t, d.Delete())
		}
		checkInvariants(t, tx)
		require.Zero(t, s.Used())
	}
}

func TestKeyOutsideTheFootprint(t *testing.T) {
	s := New(Options{Databases: 1, Seed: 1})
	var fp Footprint
	fp.AddKey([]byte("a"))
	fp.AddKey([]byte("b"))
	tx := s.NewTx()
	tx.Begin(testNow, 0, &fp)
	defer tx.End()
	require.Panics(t, func() { tx.Write([]byte("c")) })
}
