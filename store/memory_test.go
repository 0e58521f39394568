package store

import (
	"fmt"
	"runtime"
	"testing"

	"cellserver/store/hash"
	"cellserver/store/list"
	"cellserver/store/memory"
	"cellserver/store/set"
	"cellserver/store/sortedset"

	"github.com/stretchr/testify/require"
)

// heap returns what lies in the heap.
func heap() (m runtime.MemStats) {
	runtime.GC()
	runtime.ReadMemStats(&m)
	return m
}

// TestTheHeapHoldsNoKeys checks that the heap grows by next to nothing when keys come.
func TestTheHeapHoldsNoKeys(t *testing.T) {
	if memory.OnHeap {
		t.Skip("blocks lie in the heap here")
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

// TestUsedFollowsTheHeap fills collections with large members, and then makes them small in different ways. What the
// store counts must stay near to what lies in the heap, because maxmemory bounds only the count.
func TestUsedFollowsTheHeap(t *testing.T) {
	const keys, members, most = 30, 1000, 4096
	text := func(i, size int) []byte { return fmt.Appendf(nil, "%0*d", size, i) }
	for _, c := range []struct {
		name           string
		size, more     int // bytes of a member, and of what belongs to it
		grows, shrinks *Change
		small          func(i int, large Operands) Operands
	}{
		{"LSET", 20, 0, list.PushLast, list.Set, func(i int, _ Operands) Operands { return Operands{Int: int64(i)} }},
		{"LPOP", 20, 0, list.PushLast, list.PopFirst, func(int, Operands) Operands { return Operands{Int: 1} }},
		{"LREM", 20, 0, list.PushLast, list.Remove, func(_ int, large Operands) Operands { return large }},
		{"HSET", 10, 600, hash.Set, hash.Set, func(_ int, large Operands) Operands { return Operands{Value: large.Value} }},
		{"HDEL", 10, 600, hash.Set, hash.Delete, func(_ int, large Operands) Operands { return large }},
		{"SREM", 600, 0, set.Add, set.Delete, func(_ int, large Operands) Operands { return large }},
		{"ZREM", 70, 0, sortedset.Add, sortedset.Delete, func(_ int, large Operands) Operands { return large }},
	} {
		s := New(Options{Databases: 1, Seed: 1})
		before := heap().HeapAlloc
		for k := range keys {
			tx := whole(s, testNow)
			e := tx.Write(text(k, 10))
			for i := range members {
				e.Change(c.grows, Operands{Value: text(i, c.size), More: text(i, c.more)})
			}
			for i := range members - 1 {
				e.Change(c.shrinks, c.small(i, Operands{Value: text(i, c.size), More: text(i, c.more)}))
			}
			tx.End()
		}
		held := int64(heap().HeapAlloc - before)
		require.Less(t, held, 2*s.UsedOfHeap()+keys*most, c.name)
		runtime.KeepAlive(s)
	}
}
