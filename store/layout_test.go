package store

import (
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"
)

// A command waits for the cache lines that lead to its cell: one of the partition, one of the table, one of the
// segment. They are so where each type takes whole lines, as they lie in memory that begins with one, and what a
// command looks at stands in the first.
func TestTheWayToACellIsShort(t *testing.T) {
	for what, size := range map[string]uintptr{
		"partition": unsafe.Sizeof(partition{}), "table": unsafe.Sizeof(table{}), "segment": unsafe.Sizeof(segment{}),
	} {
		require.Zero(t, size%cacheLine, "%s has %d bytes", what, size)
	}
	var p partition
	require.LessOrEqual(t, unsafe.Offsetof(p.frozen)+unsafe.Sizeof(p.frozen), uintptr(cacheLine))
	var d table
	require.LessOrEqual(t, unsafe.Offsetof(d.depth)+unsafe.Sizeof(d.depth), uintptr(cacheLine))
	var g segment
	require.LessOrEqual(t, unsafe.Offsetof(g.depth)+unsafe.Sizeof(g.depth), uintptr(cacheLine))

	s := New(Options{})
	require.Zero(t, uintptr(unsafe.Pointer(&s.partitions))%cacheLine)
	require.Zero(t, uintptr(unsafe.Pointer(&s.partitions[1].tables[0]))%cacheLine)
	fill := s.NewTx()
	fp := Footprint{}
	fp.AddAll()
	fill.Begin(1, 0, &fp)
	defer fill.End()
	e := fill.Write([]byte("key"))
	e.SetInt(1, NoExpiry)
	require.Zero(t, uintptr(unsafe.Pointer(e.g))%cacheLine)
}
