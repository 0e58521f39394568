package app

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// TestListLimits has the sizes of list-max-listpack-size, as Redis reads them.
func TestListLimits(t *testing.T) {
	for size, want := range map[int][2]int{
		-1: {1<<31 - 1, 4 << 10}, -2: {1<<31 - 1, 8 << 10}, -5: {1<<31 - 1, 64 << 10}, -99: {1<<31 - 1, 64 << 10},
		-1 << 31: {1<<31 - 1, 64 << 10}, 0: {1, 8 << 10}, 1: {1, 8 << 10}, 500: {500, 8 << 10},
	} {
		entries, bytes := listLimits(size)
		require.Equal(t, want, [2]int{entries, bytes}, "%d", size)
	}
}
