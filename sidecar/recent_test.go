package sidecar

import (
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestTheDroppedAreForgotten: the hub may refuse any number of users in a year. The sidecar keeps those of the last second.
func TestTheDroppedAreForgotten(t *testing.T) {
	d := recent{pause: aSecond}
	for i := range int64(1000) {
		name, now := strconv.FormatInt(i, 10), i*100_000
		require.True(t, d.note(name, now))
		require.False(t, d.note(name, now+50_000))
		require.LessOrEqual(t, len(d.at), 11)
	}
}
