package value

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// A cell keeps the kind in three bits, and every kind has a row.
func TestKinds(t *testing.T) {
	require.LessOrEqual(t, len(kinds), 8)
	for k := range kinds {
		require.NotEmpty(t, Kind(k).Name())
		require.Equal(t, k > 2, Kind(k).IsCollection())
	}
	require.Equal(t, "zset", Sorted.Name())
}
