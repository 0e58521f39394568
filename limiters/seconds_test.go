package limiters

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestSeconds(t *testing.T) {
	const lowest, greatest, second = math.MinInt64, math.MaxInt64, 1e9
	for ns, want := range map[int64]int64{
		-1: -1, 0: 0, 1: 1, second - 1: 1, second: 1, second + 1: 2,
		greatest: 9223372037, lowest: -9223372036, -second: -1, -second - 1: -1, -2: 0,
	} {
		require.Equal(t, want, Seconds(ns), "Seconds(%d)", ns)
	}
}
