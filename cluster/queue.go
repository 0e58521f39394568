package cluster

import (
	"sync/atomic"

	"cellserver/cluster/entry"
	"cellserver/persistence/aof"
)

// batch is what becomes one entry of the log.
type batch struct {
	kind    entry.Kind
	number  uint64
	term    uint64 // of the epoch
	body    aof.Body
	fixed   []byte // the body of an entry that is not of kind Effects
	effects int
	bytes   int64 // what the batch takes in memory
	undo    undo
	sent    int64 // monotonic time just before it was proposed
}

// An entry has at most about so many bytes and effects. A transaction is never divided.
const (
	entryBytes   = 64 << 10
	entryEffects = 1024
)

// full reports whether the next transaction begins another batch.
func (b *batch) full() bool {
	return b.kind != entry.Effects || b.effects >= entryEffects || b.body.Len() >= entryBytes
}

// queue holds the batches that are not committed, the oldest first. Each has the number after that of the one before.
type queue struct {
	batches []*batch
	taken   int           // how many of them were proposed
	begun   atomic.Uint64 // the number of the newest batch or epoch so far; read without the lock
	safe    uint64        // everything up to this number is committed
}

// next returns the number of the first batch that was not proposed, or that will be the next.
func (q *queue) next() uint64 { return q.begun.Load() + 1 - uint64(len(q.batches)-q.taken) }

// add begins a batch.
func (q *queue) add(kind entry.Kind, term uint64) *batch {
	b := &batch{kind: kind, number: q.begun.Add(1), term: term}
	q.batches = append(q.batches, b)
	return b
}

// collecting returns the batch that takes the next transaction.
func (q *queue) collecting(term uint64) *batch {
	if n := len(q.batches); n > q.taken {
		if b := q.batches[n-1]; !b.full() {
			return b
		}
	}
	return q.add(entry.Effects, term)
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

// confirm removes the oldest batch if it is that of an entry. Otherwise it returns nil.
func (q *queue) confirm(term, number uint64) *batch {
	if q.taken == 0 || q.batches[0].term != term || q.batches[0].number != number {
		return nil
	}
	b := q.batches[0]
	q.batches[0] = nil
	q.batches = q.batches[1:]
	q.taken--
	q.safe = number
	return b
}

// drop removes all batches, because none of them can be committed any more.
func (q *queue) drop() (dropped []*batch) {
	dropped = q.batches
	q.batches, q.taken = nil, 0
	return dropped
}
