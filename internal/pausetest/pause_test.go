package pausetest

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestOnlyPausesCount(t *testing.T) {
	var m Meter
	m.note(least - 1)
	require.Zero(t, m.Allows(time.Hour), "a busy machine changes no bound")
	m.note(time.Second)
	m.note(3 * time.Second)
	require.Equal(t, 4*time.Second, m.Allows(0))
	require.Equal(t, 24*time.Second, m.Allows(10*time.Second))
}

func TestAMeterEndsWithItsTest(t *testing.T) {
	t.Run("measured", func(t *testing.T) {
		require.GreaterOrEqual(t, Start(t).Allows(time.Second), time.Duration(0))
	})
}
