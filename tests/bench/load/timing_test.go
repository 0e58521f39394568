package load

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestPercentile(t *testing.T) {
	var all []Timing
	for i := range 1000 {
		all = append(all, Timing{Took: time.Duration(1000 - i)})
	}
	require.Equal(t, time.Duration(500), Percentile(all, 0.5))
	require.Equal(t, time.Duration(999), Percentile(all, 0.999))
	require.Equal(t, time.Duration(1000), Percentile(all, 1))
	require.Equal(t, time.Duration(7), Percentile([]Timing{{Took: 7}}, 0.5))
	require.Zero(t, Percentile(nil, 0.5))
}
