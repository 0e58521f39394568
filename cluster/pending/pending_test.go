package pending

import (
	"testing"

	"cellserver/cluster/entry"
	"cellserver/store"

	"github.com/stretchr/testify/require"
)

func effects(n int) []store.Effect {
	all := make([]store.Effect, n)
	for i := range all {
		all[i] = store.Effect{Op: store.OpDel, Key: []byte("key")}
	}
	return all
}

func TestBatchesAreNumberedTakenAndConfirmedInOrder(t *testing.T) {
	var q Queue
	q.Begin(q.Number())
	require.Equal(t, []uint64{1, 1, 2}, []uint64{q.Begun(), q.Safe(), q.Next()})
	q.Collect(7, 100, effects(1), nil)
	q.Collect(7, 101, effects(1), nil)
	require.Equal(t, uint64(2), q.Begun(), "both are in one batch")
	first := q.Take()
	require.Equal(t, int64(101), first.Time, "of its last transaction")
	require.NotEmpty(t, first.AppendTo(nil))
	held := q.Memory()
	q.Collect(7, 102, effects(entryEffects), []store.Undo{{Held: 1000}})
	require.Equal(t, held+1000+int64(q.batches[1].Len()), q.Memory())
	q.Collect(7, 102, effects(1), nil)
	require.Equal(t, []uint64{4, 3}, []uint64{q.Begun(), q.Next()}, "a taken batch and a full batch do not change")
	require.Nil(t, q.Confirm(6, 2), "of another term")
	require.Nil(t, q.Confirm(7, 3), "not the oldest")
	require.Same(t, first, q.Confirm(7, 2))
	require.Nil(t, q.Confirm(7, 3), "nobody has proposed it")
	require.Equal(t, uint64(2), q.Safe())

	q.Add(entry.Tick, 7, 102)
	q.Collect(7, 102, effects(1), nil)
	require.Equal(t, uint64(6), q.Begun(), "only effects take effects")
	_, n, whole := q.Undo()
	require.Equal(t, entryEffects+2, n)
	require.True(t, whole)
	require.Positive(t, q.Bytes())
	require.Equal(t, q.Bytes()+1000, q.Memory(), "with the undo")
	q.Drop()
	require.Zero(t, q.Bytes())
	require.Zero(t, q.Memory())
	require.True(t, q.Empty())
	require.Zero(t, q.Outstanding())
	require.Nil(t, q.Take())
}

func TestWaitersLeaveInTheOrderOfTheirNeeds(t *testing.T) {
	var ws Waiters
	var left []uint64
	for _, need := range []uint64{5, 2, 9, 2, 7} {
		ws.Add(Waiter{Need: need, Done: func(safe bool) {
			if safe {
				left = append(left, need)
			} else {
				left = append(left, 100+need)
			}
		}})
	}
	require.Empty(t, ws.Take(1))
	ws.Take(5).Answer(true)
	require.Equal(t, []uint64{2, 2, 5}, left)
	ws.TakeAll().Answer(false)
	require.Equal(t, []uint64{2, 2, 5, 107, 109}, left)
	require.Empty(t, ws)
}
