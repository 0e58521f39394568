package table

import (
	"math"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"
)

// A command waits for one cache line of the table and one of the segment; see the test of the
// same name in package store.
func TestTheWayToACellIsShort(t *testing.T) {
	require.Zero(t, unsafe.Sizeof(Table{})%CacheLine)
	require.Zero(t, unsafe.Sizeof(segment{})%CacheLine)
	var d Table
	require.LessOrEqual(t, unsafe.Offsetof(d.depth)+unsafe.Sizeof(d.depth), uintptr(CacheLine))
	var g segment
	require.LessOrEqual(t, unsafe.Offsetof(g.depth)+unsafe.Sizeof(g.depth), uintptr(CacheLine))
	require.EqualValues(t, objectBytes, unsafe.Sizeof(object{}))

	tb := newTable(math.MaxUint64)
	tb.setInt([]byte("key"), 1)
	require.Zero(t, uintptr(unsafe.Pointer(tb.place([]byte("key")).g))%CacheLine)
}
