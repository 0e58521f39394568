package group

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
	var q queue
	q.begin(q.number())
	require.Equal(t, []uint64{1, 1, 2}, []uint64{q.begun.Load(), q.safe, q.next()})
	q.collect(7, 100, effects(1), undos())
	q.collect(7, 101, effects(1), undos())
	require.Equal(t, uint64(2), q.begun.Load(), "both are in one batch")
	first := q.take()
	require.Equal(t, int64(101), first.time, "of its last transaction")
	require.NotEmpty(t, first.appendTo(nil))
	held := q.memory.Load()
	require.True(t, q.collect(7, 102, effects(entryEffects),
		undos(store.Undo{Before: store.Image{Kind: store.Raw}, Held: 1000})))
	require.InDelta(t, held+1001+int64(q.batches[1].length()), q.memory.Load(), memoryStep)
	q.collect(7, 102, effects(1), undos())
	require.Equal(t, []uint64{4, 3}, []uint64{q.begun.Load(), q.next()},
		"a taken batch and a full batch do not change")
	require.Nil(t, q.confirm(6, 2), "of another term")
	require.Nil(t, q.confirm(7, 3), "not the oldest")
	require.Same(t, first, q.confirm(7, 2))
	require.Nil(t, q.confirm(7, 3), "nobody has proposed it")
	require.Equal(t, uint64(2), q.safe)

	q.add(entry.Tick, 7, 102)
	q.collect(7, 102, effects(1), undos())
	require.Equal(t, uint64(6), q.begun.Load(), "only effects take effects")
	_, n, whole := q.undo()
	require.Equal(t, entryEffects+2, n)
	require.True(t, whole)
	require.Positive(t, q.bytes)
	require.InDelta(t, q.bytes+1001, q.memory.Load(), memoryStep, "with the undo")
	q.drop()
	require.Zero(t, q.bytes)
	require.Zero(t, q.memory.Load())
	require.True(t, q.isEmpty())
	require.Zero(t, q.outstanding())
	require.Nil(t, q.take())
}

// A batch uses the memory of a confirmed batch, and contains nothing of that batch.
func TestBatchesUseTheirRoomAgain(t *testing.T) {
	var q queue
	confirmed := func(n int) (body []byte, undone int) {
		var fresh queue
		fresh.collect(7, 100, effects(n), undos())
		q.collect(7, 100, effects(n), undos(make([]store.Undo, n)...))
		b := q.take()
		body, undone = b.appendTo(nil), len(b.undo.All(nil))
		require.Equal(t, fresh.take().appendTo(nil), body)
		require.Same(t, b, q.confirm(7, b.number))
		return body, undone
	}
	long, _ := confirmed(500)
	first := string(long)
	require.Len(t, q.rooms, 1)
	require.GreaterOrEqual(t,
		reflect.ValueOf(q.rooms[0].undo).FieldByName("records").FieldByName("packed").Cap(), 500)
	short, undone := confirmed(2)
	require.Equal(t, 2, undone)
	require.Less(t, len(short), len(long))
	require.Equal(t, first, string(long), "the body of an earlier entry does not change")
	require.Len(t, q.rooms, 1, "it was taken, and is back")
	require.Empty(t, q.takeGarbage(), "undos of keys need nobody")
	whole := store.Undo{}
	fill(&whole.Whole)
	q.collect(7, 100, effects(1), undos(store.Undo{}, whole))
	b := q.take()
	b.appendTo(nil)
	q.confirm(7, b.number)
	require.Len(t, q.takeGarbage(), 1)
	q.drop()
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
	var ws waiters
	var left []uint64
	for _, need := range []uint64{5, 2, 9, 2, 7} {
		ws.add(waiter{need: need, done: func(safe bool) {
			if safe {
				left = append(left, need)
			} else {
				left = append(left, 100+need)
			}
		}})
	}
	require.Empty(t, ws.take(1))
	ws.take(5).answer(true)
	require.Equal(t, []uint64{2, 2, 5}, left)
	ws.takeAll().answer(false)
	require.Equal(t, []uint64{2, 2, 5, 107, 109}, left)
	require.Empty(t, ws)
}

func TestWhatHasCollected(t *testing.T) {
	var q queue
	q.begin(q.number())
	require.Zero(t, q.collected())
	q.collect(7, 100, effects(entryEffects), undos())
	q.collect(7, 100, effects(3), undos())
	require.Equal(t, entryEffects+3, q.collected())
	require.Equal(t, entryEffects, q.take().effects)
	require.Equal(t, 3, q.collected())
	q.take()
	require.Zero(t, q.collected())
}

func TestWaitersThatGather(t *testing.T) {
	var ws waiters
	require.True(t, ws.gather())
	ws.add(waiter{need: 1, gathers: true})
	require.True(t, ws.gather())
	ws.add(waiter{need: 2})
	require.False(t, ws.gather())
	require.True(t, ws.take(1).gather())
	require.False(t, ws.gather())
}
