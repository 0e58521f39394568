package store

import (
	"testing"
	"unsafe"

	"cellserver/store/table"

	"github.com/stretchr/testify/require"
)

// A command waits for the cache lines on the way to its cell: one of the partition, one of the
// table, one of the segment. It waits for no more, because each type takes whole lines, lies at
// the start of one, and has the fields of the way in its first line. Package table tests the same
// for its types.
func TestTheWayToATableIsShort(t *testing.T) {
	require.Zero(t, unsafe.Sizeof(partition{})%table.CacheLine)
	var p partition
	require.LessOrEqual(t, unsafe.Offsetof(p.index)+unsafe.Sizeof(p.index), uintptr(table.CacheLine))

	s := New(Options{})
	require.Zero(t, uintptr(unsafe.Pointer(&s.partitions))%table.CacheLine)
	require.Zero(t, uintptr(unsafe.Pointer(s.tables.findOrMake(&s.partitions[1], 0)))%table.CacheLine)
}
