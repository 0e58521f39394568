package store

import (
	"runtime"
	"testing"

	"cellserver/store/memory"

	"github.com/stretchr/testify/require"
)

// TestTheHeapHoldsNoKeys checks that the heap grows by next to nothing when keys come.
func TestTheHeapHoldsNoKeys(t *testing.T) {
	if memory.OnHeap {
		t.Skip("blocks lie in the heap here")
	}
	heap := func() (m runtime.MemStats) {
		runtime.GC()
		runtime.ReadMemStats(&m)
		return m
	}
	s := New(Options{Databases: 1, Seed: 1})
	n := scaled(1_000_000)
	fill(s, n/10, testNow, 1e9) // now every partition has its first segment
	before := heap()
	fill(s, n, testNow, 1e9)
	after := heap()
	require.Less(t, int(after.HeapObjects)-int(before.HeapObjects), n/200)
	require.Less(t, int(after.HeapAlloc)-int(before.HeapAlloc), n)
	runtime.KeepAlive(s)
}
