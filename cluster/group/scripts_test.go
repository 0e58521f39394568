package group

import (
	"log/slog"
	"testing"
	"time"

	"cellserver/store"

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

// A node that gives way ends a script that holds keys, after half a NodeTimeout.
func TestScriptsDoNotKeepALeaderFromGivingWay(t *testing.T) {
	s := store.New(store.Options{Databases: 1, Seed: 1})
	script := s.NewTx()
	script.BeginAll(1, 0)
	waits, isDone := time.Duration(0), false
	g := New(Options{
		Store: s, Clock: stopped{}, Log: slog.New(slog.DiscardHandler), Timing: Timing{NodeTimeout: time.Second},
		EndScripts: func(after time.Duration) (done func()) {
			waits = after
			script.End()
			return func() { isDone = true }
		},
	})
	_, err := g.stopCommands()
	require.ErrorIs(t, err, errNotLeader)
	require.Equal(t, 500*time.Millisecond, waits)
	require.True(t, isDone)
}
