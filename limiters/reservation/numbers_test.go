package reservation

import (
	"math"
	"math/rand/v2"
	"testing"

	"cellserver/internal/randtest"

	"github.com/stretchr/testify/require"
)

// TestNumbers: number reads what appendNumber has written, for all sizes. It refuses the bytes of a number if the last ones are
// missing.
func TestNumbers(t *testing.T) {
	r := rand.New(randtest.Source(t))
	all := []int64{0, -1, 1, 123, 124, -124, -125, math.MinInt64, math.MaxInt64}
	for range 2000 {
		n := r.Int64() >> r.IntN(64)
		all = append(all, n, ^n)
	}
	for _, want := range all {
		b := appendNumber(nil, want)
		require.LessOrEqual(t, len(b), longestNumber)
		for _, after := range []string{"", "a", "after that"} {
			got, end := number(append(append([]byte("x"), b...), after...), 1)
			require.Equal(t, want, got)
			require.Equal(t, 1+len(b), end)
		}
		for n := range b {
			_, end := number(b[:n], 0)
			require.Greater(t, end, n)
		}
	}
}
