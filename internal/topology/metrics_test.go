package topology

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestWithin(t *testing.T) {
	var m Metrics
	require.Zero(t, m.Within(0.5), "without commits")
	m.Latency[3], m.Latency[5], m.Latency[10] = 5, 4, 1
	require.EqualValues(t, 10, m.Commits())
	for part, micros := range map[float64]int64{0: 8, 0.5: 8, 0.51: 32, 0.9: 32, 0.99: 1024, 1: 1024} {
		require.Equal(t, micros, m.Within(part), part)
	}
}
