package group

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// Scripts end if raft waits for the same call at three ticks. Those that have just begun go on: they are not why it waits, and
// what a script has done in EXEC would stay.
func TestOnlyScriptsThatRunForLongEnd(t *testing.T) {
	var before []int64
	s := scripts{stop: func(at int64) { before = append(before, at) }}
	const now = int64(time.Hour)
	for range 5 {
		ended := s.call()
		s.hurry(now)
		s.hurry(now)
		ended()
		s.hurry(now)
	}
	require.Empty(t, before, "each call is short")
	ended := s.call()
	for range 4 {
		s.hurry(now)
	}
	ended()
	s.hurry(now)
	require.Equal(t, []int64{now - 50e6, now - 50e6}, before)
}
