package table

import (
	"fmt"
	"math"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"
)

// The segment map leads to the very cell, in tables of any size.
func TestSegmentMapLeadsToCells(t *testing.T) {
	tb := newTable(math.MaxUint64)
	for _, cells := range []int{1, 100, 5000} {
		for i := range cells {
			tb.setInt(fmt.Appendf(nil, "{one partition}%d", i), 1)
		}
		found := 0
		for i := range cells {
			p := tb.place(fmt.Appendf(nil, "{one partition}%d", i))
			if at := tb.segmap.Load().CellAddress(p.hash); at == unsafe.Pointer(&p.Cell()[0]) {
				found++
			}
			line := tb.segmap.Load().IndexLine(p.hash)
			probe := &p.g.index[p.hash&uint64(len(p.g.index)-1)]
			require.Less(t, uintptr(unsafe.Pointer(probe))-uintptr(line), uintptr(CacheLine))
		}
		require.Greater(t, found*100, cells*95, "all but fingerprints that agree")
	}
}

// The segment map leads to where the cell of a new key will be.
func TestSegmentMapLeadsToNewCells(t *testing.T) {
	tb := newTable(math.MaxUint64)
	const cells = 5000
	found := 0
	for i := range cells {
		p := tb.place(fmt.Appendf(nil, "{one partition}%d", i))
		at := tb.segmap.Load().CellAddress(p.hash)
		p.SetInt(1, NoExpiry)
		if at == unsafe.Pointer(&p.Cell()[0]) {
			found++
		}
	}
	require.Greater(t, found*100, cells*90, "all but segments that moved or have several entries, and fingerprints that agree")
}
