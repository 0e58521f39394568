package store

import (
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"
)

// A walk visits every key under locks, so it must not allocate for each key.
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
	require.Less(t, testing.AllocsPerRun(10, func() { tx.Each(see) }), 1000.0/2, "at most one for each of the 256 partitions")
	require.NotZero(t, seen)
}
