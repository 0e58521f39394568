package store

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
)

// moveExpiry is a MoveBack that moves the expiry alone.
func moveExpiry(e *Entry, step Step) { e.SetExpiry(e.ExpireAt() - step.Back/1e6) }

// TestStepBack sets the clock back under keys. Each partition follows before the next transaction reads it. Expired keys go,
// and keys without an expiry stay.
func TestStepBack(t *testing.T) {
	const hour, keys = int64(3600e9), 1000
	now := int64(1_800_000_000_000_000_000)
	s := New(Options{Databases: 2, MoveBack: moveExpiry})
	seen := &recorder{}
	s.Observe(seen)
	write := func(db int, key string, expireAt int64) {
		tx := s.NewTx()
		tx.BeginKey(now, db, []byte(key))
		defer tx.End()
		e := tx.Write([]byte(key))
		e.SetInt(1, expireAt)
	}
	for i := range keys {
		write(i%2, fmt.Sprint("live", i), (now+hour)/1e6)
		write(i%2, fmt.Sprint("dead", i), now/1e6)
		write(i%2, fmt.Sprint("stays", i), NoExpiry)
	}
	old := s.NewTx()
	var cursor SweepCursor
	s.Sweep(now, &cursor, 1)
	now += 5e6
	back := 10 * hour
	set := false
	s.StepBack(Step{now, back}, func() { set = true })
	require.True(t, set)
	now -= back
	// A transaction of before the step reads its time again.
	old.Stepped = func() int64 { return now }
	old.BeginKey(now+back, 0, []byte("live0"))
	e := old.Peek([]byte("live0"))
	require.Equal(t, now, old.Now())
	require.Equal(t, hour/1e6-5, e.ExpireAt()-now/1e6)
	old.End()
	seen.effects = 0
	expired, _ := s.Sweep(now+back, &cursor, 1<<20)
	require.Zero(t, expired, "a sweep at the former time removes nothing")
	seen.waiting, seen.most = 0, 0
	s.CatchUp()
	s.CatchUp()
	require.Less(t, seen.most, keys/10, "what waits is written after each partition")
	require.Equal(t, []int{keys, keys}, []int{s.Len(0), s.Len(1)})
	steps, moved := s.Steps()
	require.Equal(t, []int64{1, keys}, []int64{steps, moved})
	require.Positive(t, seen.effects, "the log has the moves")
	// Two steps before a partition follows are two moves.
	s.StepBack(Step{now, hour}, nil)
	s.StepBack(Step{now - hour, hour}, nil)
	old.Stepped = func() int64 { return now - 2*hour }
	old.BeginKey(now, 1, []byte("live1"))
	e = old.Peek([]byte("live1"))
	require.Equal(t, hour/1e6-5, e.ExpireAt()-(now-2*hour)/1e6)
	old.End()
}

// recorder counts effects.
type recorder struct {
	effects       int
	waiting, most int // since the last Relieve, and at most
}

// Committed implements [Observer].
func (r *recorder) Committed(_ *Tx, effects []Effect) {
	r.effects += len(effects)
	r.waiting += len(effects)
	r.most = max(r.most, r.waiting)
}

// Relieve implements [Reliever].
func (r *recorder) Relieve() { r.waiting = 0 }
