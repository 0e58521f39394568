package store

import (
	"testing"

	"cellserver/store/table"

	"github.com/stretchr/testify/require"
)

// TestWriteTATIn checks that an expired TAT is overwritten in place, and that only WriteTATIn sees it.
func TestWriteTATIn(t *testing.T) {
	s := New(Options{Databases: 1, Seed: 1})
	key := []byte("k")
	tx := whole(s, testNow)
	var e Entry
	tx.WriteTATIn(&e, key)
	require.False(t, e.Exists())
	e.SetInt(testNow+5e6, table.CeilMillis(testNow+5e6))
	tx.End()

	later := testNow + int64(5e6)
	tx = whole(s, later)
	tx.WriteTATIn(&e, key)
	require.Equal(t, testNow+int64(5e6), e.Int())
	e.SetInt(later+7e6, table.CeilMillis(later+7e6))
	require.Equal(t, 1, tx.Changes())
	require.Zero(t, s.Counters().Expired)
	tx.End()

	tx = whole(s, later+7e6)
	tx.WriteTATIn(&e, key) // this time nothing overwrites the TAT
	e = tx.Peek(key)
	require.False(t, e.Exists())
	e = tx.Write([]byte("plain"))
	e.SetInt(1, table.FloorMillis(later+8e6))
	tx.End()

	tx = whole(s, later+20e6)
	tx.WriteTATIn(&e, []byte("plain"))
	require.False(t, e.Exists(), "a key that is no throttle key expires for WriteTATIn, too")
	checkInvariants(t, tx)
	tx.End()
	require.Zero(t, s.Len(0))
}
