package group

import (
	"bytes"
	"sync/atomic"

	"cellserver/cluster/entry"
	"cellserver/persistence/aof"
	"cellserver/store"

	"github.com/hashicorp/raft"
)

// batch is what becomes one entry of the log.
type batch struct {
	kind   entry.Kind
	number uint64
	term   uint64      // of the epoch
	time   int64       // of its last command, in Unix nanoseconds
	fixed  []byte      // the body of an entry that is not of kind Effects
	sent   int64       // monotonic time just before it was proposed
	result raft.Future // of its proposal; nil if a goroutine waits for it already

	content
	counted int // bytes that the queue counts
	undo    store.UndoList
	lost    bool // there was no room for undo
}

// content is the effects of a batch.
type content struct {
	body    aof.Body
	effects int
	size    int // bytes of the body after it was taken
}

// The approximate maximum of the bytes and the effects of an entry. A transaction is never divided.
const (
	entryBytes   = 256 << 10
	entryEffects = 4096
)

// length returns the number of bytes.
func (b *batch) length() int { return b.size + b.body.Len() + len(b.fixed) }

// appendTo appends the body of the entry to dst, and removes it from the batch.
func (b *batch) appendTo(dst []byte) []byte {
	b.size = b.body.Len()
	return append(b.body.AppendTo(dst), b.fixed...)
}

// full reports whether the next transaction begins another batch.
func (b *batch) full() bool {
	return b.kind != entry.Effects || b.effects >= entryEffects || b.body.Len() >= entryBytes
}

// queue holds the batches that are not committed, the oldest first. Its zero value is empty.
type queue struct {
	batches []*batch
	taken   int           // how many of them were proposed
	begun   atomic.Uint64 // the number of the newest batch or epoch; read without the lock
	safe    uint64        // everything up to this number is committed
	held    int64         // bytes that the undos of all batches hold
	bytes   int64         // of the bodies of all batches
	shown   int64         // held plus bytes, at the last write of memory
	memory  atomic.Int64  // shown, which may be wrong by memoryStep; read without the lock
	garbage []store.Undo  // undos of whole databases that nobody needs any more
	rooms   []room        // of confirmed batches, for the next ones
}

// room is the memory that a batch fills. The queue uses it again, because to grow it costs more than to fill
// it.
type room struct {
	body aof.Body
	undo store.UndoList // empty
}

// A queue keeps at most maxRooms rooms. A room keeps memory for at most maxRoomBytes bytes of packed undos,
// and for at most maxRoomUndo other undos.
const (
	maxRooms     = 4
	maxRoomUndo  = entryEffects
	maxRoomBytes = 4 * entryBytes
)

// isEmpty reports whether everything is committed.
func (q *queue) isEmpty() bool { return len(q.batches) == 0 }

// oldest returns the oldest batch that was proposed and is not committed; nil if there is none.
func (q *queue) oldest() *batch {
	if q.taken == 0 {
		return nil
	}
	return q.batches[0]
}

// outstanding returns the number of batches that were proposed and are not committed.
func (q *queue) outstanding() int { return q.taken }

// collected returns the number of effects that were not proposed.
func (q *queue) collected() (effects int) {
	for _, b := range q.batches[q.taken:] {
		effects += b.effects
	}
	return effects
}

// next returns the number of the first batch that was not proposed, or that will be the next.
func (q *queue) next() uint64 { return q.begun.Load() + 1 - uint64(len(q.batches)-q.taken) }

// number returns the next number, for the beginning of an epoch, which is not a batch.
func (q *queue) number() uint64 { return q.begun.Add(1) }

// begin says that everything up to a number is committed or dropped. The queue must be empty.
func (q *queue) begin(number uint64) { q.safe = number }

// add begins a batch. time must not be earlier than that of the previous batch.
func (q *queue) add(kind entry.Kind, term uint64, time int64) *batch {
	b := &batch{kind: kind, number: q.begun.Add(1), term: term, time: time}
	if last := len(q.rooms) - 1; last >= 0 && kind == entry.Effects {
		b.body, b.undo = q.rooms[last].body, q.rooms[last].undo
		q.rooms = q.rooms[:last]
	}
	q.batches = append(q.batches, b)
	return b
}

// maxUndo is how many bytes the undos may hold. With more, the keyspace is loaded again instead.
const maxUndo = 64 << 20

// collect adds the effects of a transaction, and what takes them back. time must not be earlier than that of
// the previous transaction. It reports whether the next transaction begins another batch.
func (q *queue) collect(term uint64, time int64, effects []store.Effect, undo *store.UndoList) (full bool) {
	b := q.collecting(term, time)
	b.time = time
	b.body.Append(effects)
	b.effects += len(effects)
	q.held += undo.Bytes()
	b.undo.Append(undo)
	if q.held > maxUndo || b.lost {
		b.lost = true
		q.discard(b)
	}
	q.count(b, b.length())
	return b.full()
}

// count counts the body of a batch with its present bytes.
func (q *queue) count(b *batch, bytes int) {
	q.bytes += int64(bytes - b.counted)
	b.counted = bytes
	if all := q.bytes + q.held; all == 0 || all-q.shown >= memoryStep || q.shown-all >= memoryStep {
		q.shown = all
		q.memory.Store(all)
	}
}

// memoryStep is by how much Memory may be wrong. An atomic store for each transaction would wait for the
// stores before it.
const memoryStep = 4 << 10

// discard drops the undos of a batch. Undos of whole databases become garbage: see takeGarbage.
func (q *queue) discard(b *batch) {
	q.held -= b.undo.Bytes()
	q.garbage = append(q.garbage, b.undo.Reset()...)
}

// keepRoom keeps the room of a batch that was taken, and whose undos are dropped.
func (q *queue) keepRoom(b *batch) {
	if len(q.rooms) < maxRooms && b.kind == entry.Effects {
		b.undo.Trim(maxRoomBytes, maxRoomUndo)
		q.rooms = append(q.rooms, room{b.body, b.undo})
	}
	b.body, b.undo = aof.Body{}, store.UndoList{}
}

// takeGarbage returns the undos of whole databases that nobody needs any more, for [store.Store.DropUndo].
func (q *queue) takeGarbage() (garbage []store.Undo) {
	garbage, q.garbage = q.garbage, nil
	return garbage
}

// collecting returns the batch that takes the next transaction.
func (q *queue) collecting(term uint64, time int64) *batch {
	if n := len(q.batches); n > q.taken {
		if b := q.batches[n-1]; !b.full() {
			return b
		}
	}
	return q.add(entry.Effects, term, time)
}

// take takes the next batch to propose; nil if there is none.
func (q *queue) take() *batch {
	if q.taken == len(q.batches) {
		return nil
	}
	b := q.batches[q.taken]
	q.taken++
	return b
}

// confirm removes and returns the oldest batch if it has the term and the number of an entry. Otherwise it
// returns nil.
func (q *queue) confirm(term, number uint64) *batch {
	if q.taken == 0 || q.batches[0].term != term || q.batches[0].number != number {
		return nil
	}
	b := q.batches[0]
	q.batches[0] = nil
	q.batches = q.batches[1:]
	q.taken--
	q.safe = number
	q.discard(b)
	q.count(b, 0)
	q.keepRoom(b)
	return b
}

// undo returns the undos of all effects in the queue, in the order of the effects, and the number of the
// effects. whole is false if a part of it is lost.
func (q *queue) undo() (undo []store.Undo, effects int, whole bool) {
	whole = true
	for _, b := range q.batches {
		undo, effects, whole = b.undo.All(undo), effects+b.effects, whole && !b.lost
	}
	return undo, effects, whole
}

// drop removes all batches, because none of them can be committed any more. The undos are garbage, or used
// up.
func (q *queue) drop() {
	for _, b := range q.batches {
		q.discard(b)
		q.count(b, 0)
	}
	q.batches, q.taken, q.rooms = nil, 0, nil
}

// committed returns what the keys hold without the batches in the queue. It reports false if this is
// unknown: a whole database has changed, or a part of the undos is lost. The images stay as they are.
func (q *queue) committed() (entry.Committed, bool) {
	undo, _, whole := q.undo()
	if !whole {
		return nil, false
	}
	before := entry.Committed{}
	for i := range undo {
		u := &undo[i]
		if !u.OfKey() {
			return nil, false
		}
		key := entry.Key{DB: u.Before.DB, Name: string(u.Before.Key)}
		if _, later := before[key]; !later {
			before[key] = keep(u.Before)
		}
	}
	return before, true
}

// keep returns a copy of an image that no other code changes.
func keep(im store.Image) *store.Image {
	im.Key = bytes.Clone(im.Key)
	if im.Collection != nil {
		im.Collection, _ = im.Collection.Fork()
	}
	return &im
}
