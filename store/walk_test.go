package store

import (
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"
)

// A snapshot walks every key while it holds their locks: it must not leave garbage for each.
func TestWalksAllocateNothingPerKey(t *testing.T) {
	s := New(Options{Seed: 1})
	tx := whole(s, 1)
	defer tx.End()
	for i := range 1000 {
		e := tx.Write([]byte("key:" + strconv.Itoa(i)))
		e.SetInt(int64(i), NoExpiry)
	}
	seen := 0
	see := func(e *Entry) { seen += len(e.Key()) }
	require.Less(t, testing.AllocsPerRun(10, func() { tx.Each(see) }), 1000.0/2, "at most one a partition, of which there are 256")
	require.NotZero(t, seen)
}
