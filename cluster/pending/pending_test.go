package pending

import (
	"reflect"
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
	q.Collect(7, 100, effects(1), undos())
	q.Collect(7, 101, effects(1), undos())
	require.Equal(t, uint64(2), q.Begun(), "both are in one batch")
	first := q.Take()
	require.Equal(t, int64(101), first.Time, "of its last transaction")
	require.NotEmpty(t, first.AppendTo(nil))
	held := q.Memory()
	require.True(t, q.Collect(7, 102, effects(entryEffects), undos(store.Undo{Before: store.Image{Kind: store.Raw}, Held: 1000})))
	require.InDelta(t, held+1001+int64(q.batches[1].Len()), q.Memory(), memoryStep)
	q.Collect(7, 102, effects(1), undos())
	require.Equal(t, []uint64{4, 3}, []uint64{q.Begun(), q.Next()}, "a taken batch and a full batch do not change")
	require.Nil(t, q.Confirm(6, 2), "of another term")
	require.Nil(t, q.Confirm(7, 3), "not the oldest")
	require.Same(t, first, q.Confirm(7, 2))
	require.Nil(t, q.Confirm(7, 3), "nobody has proposed it")
	require.Equal(t, uint64(2), q.Safe())

	q.Add(entry.Tick, 7, 102)
	q.Collect(7, 102, effects(1), undos())
	require.Equal(t, uint64(6), q.Begun(), "only effects take effects")
	_, n, whole := q.Undo()
	require.Equal(t, entryEffects+2, n)
	require.True(t, whole)
	require.Positive(t, q.Bytes())
	require.InDelta(t, q.Bytes()+1001, q.Memory(), memoryStep, "with the undo")
	q.Drop()
	require.Zero(t, q.Bytes())
	require.Zero(t, q.Memory())
	require.True(t, q.Empty())
	require.Zero(t, q.Outstanding())
	require.Nil(t, q.Take())
}

// A batch uses the memory of a confirmed batch, and contains nothing of that batch.
func TestBatchesUseTheirRoomAgain(t *testing.T) {
	var q Queue
	confirmed := func(n int) (body []byte, undone int) {
		var fresh Queue
		fresh.Collect(7, 100, effects(n), undos())
		q.Collect(7, 100, effects(n), undos(make([]store.Undo, n)...))
		b := q.Take()
		body, undone = b.AppendTo(nil), len(b.undo.All(nil))
		require.Equal(t, fresh.Take().AppendTo(nil), body)
		require.Same(t, b, q.Confirm(7, b.Number))
		return body, undone
	}
	long, _ := confirmed(500)
	first := string(long)
	require.Len(t, q.rooms, 1)
	require.GreaterOrEqual(t, reflect.ValueOf(q.rooms[0].undo).FieldByName("records").FieldByName("packed").Cap(), 500)
	short, undone := confirmed(2)
	require.Equal(t, 2, undone)
	require.Less(t, len(short), len(long))
	require.Equal(t, first, string(long), "the body of an earlier entry does not change")
	require.Len(t, q.rooms, 1, "it was taken, and is back")
	require.Empty(t, q.Garbage(), "undos of keys need nobody")
	whole := store.Undo{}
	fill(&whole.Whole)
	q.Collect(7, 100, effects(1), undos(store.Undo{}, whole))
	b := q.Take()
	b.AppendTo(nil)
	q.Confirm(7, b.Number)
	require.Len(t, q.Garbage(), 1)
	q.Drop()
	require.Empty(t, q.rooms)
}

// undos returns a list.
func undos(all ...store.Undo) *store.UndoList {
	var l store.UndoList
	for _, u := range all {
		l.Add(u)
	}
	return &l
}

// fill makes a pointer point at something.
func fill[T any](p **T) { *p = new(T) }

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

func TestWhatHasCollected(t *testing.T) {
	var q Queue
	q.Begin(q.Number())
	require.Zero(t, q.Collected())
	q.Collect(7, 100, effects(entryEffects), undos())
	q.Collect(7, 100, effects(3), undos())
	require.Equal(t, entryEffects+3, q.Collected())
	require.Equal(t, entryEffects, q.Take().Effects())
	require.Equal(t, 3, q.Collected())
	q.Take()
	require.Zero(t, q.Collected())
}

func TestWaitersThatGather(t *testing.T) {
	var ws Waiters
	require.True(t, ws.Gather())
	ws.Add(Waiter{Need: 1, Gathers: true})
	require.True(t, ws.Gather())
	ws.Add(Waiter{Need: 2})
	require.False(t, ws.Gather())
	require.True(t, ws.Take(1).Gather())
	require.False(t, ws.Gather())
}
