package pending

import (
	"sync/atomic"

	"cellserver/cluster/entry"
	"cellserver/persistence/aof"
	"cellserver/store"
)

// Batch is what becomes one entry of the log.
type Batch struct {
	Kind   entry.Kind
	Number uint64
	Term   uint64 // of the epoch
	Fixed  []byte // the body of an entry that is not of kind Effects
	Sent   int64  // monotonic time just before it was proposed

	body    aof.Body
	effects int
}

// An entry has at most about so many bytes and effects. A transaction is never divided.
const (
	entryBytes   = 64 << 10
	entryEffects = 1024
)

// Add adds the effects of a transaction.
func (b *Batch) Add(effects []store.Effect) {
	b.body.Append(effects)
	b.effects += len(effects)
}

// Effects returns the number of effects.
func (b *Batch) Effects() int { return b.effects }

// Len returns the number of bytes.
func (b *Batch) Len() int { return b.body.Len() + len(b.Fixed) }

// AppendTo appends the body of the entry to dst, and removes it from the batch.
func (b *Batch) AppendTo(dst []byte) []byte { return append(b.body.AppendTo(dst), b.Fixed...) }

// full reports whether the next transaction begins another batch.
func (b *Batch) full() bool {
	return b.Kind != entry.Effects || b.effects >= entryEffects || b.body.Len() >= entryBytes
}

// Queue holds the batches that are not committed, the oldest first. Its zero value is empty.
type Queue struct {
	batches []*Batch
	taken   int           // how many of them were proposed
	begun   atomic.Uint64 // the number of the newest batch or epoch; read without the owner's lock
	safe    uint64        // everything up to this number is committed
}

// Begun returns the number of the newest batch or epoch. It needs no lock.
func (q *Queue) Begun() uint64 { return q.begun.Load() }

// Safe returns the number up to which everything is committed.
func (q *Queue) Safe() uint64 { return q.safe }

// Empty reports whether everything is committed.
func (q *Queue) Empty() bool { return len(q.batches) == 0 }

// Outstanding returns the number of batches that were proposed and are not committed.
func (q *Queue) Outstanding() int { return q.taken }

// Next returns the number of the first batch that was not proposed, or that will be the next.
func (q *Queue) Next() uint64 { return q.begun.Load() + 1 - uint64(len(q.batches)-q.taken) }

// Number returns the next number for something that is no batch: the begin of an epoch.
func (q *Queue) Number() uint64 { return q.begun.Add(1) }

// Begin says that everything up to a number is committed or dropped. The queue must be empty.
func (q *Queue) Begin(number uint64) { q.safe = number }

// Add begins a batch.
func (q *Queue) Add(kind entry.Kind, term uint64) *Batch {
	b := &Batch{Kind: kind, Number: q.begun.Add(1), Term: term}
	q.batches = append(q.batches, b)
	return b
}

// Collecting returns the batch that takes the next transaction.
func (q *Queue) Collecting(term uint64) *Batch {
	if n := len(q.batches); n > q.taken {
		if b := q.batches[n-1]; !b.full() {
			return b
		}
	}
	return q.Add(entry.Effects, term)
}

// Take takes the next batch to propose; nil if there is none.
func (q *Queue) Take() *Batch {
	if q.taken == len(q.batches) {
		return nil
	}
	b := q.batches[q.taken]
	q.taken++
	return b
}

// Confirm removes the oldest batch if it is that of an entry. Otherwise it returns nil.
func (q *Queue) Confirm(term, number uint64) *Batch {
	if q.taken == 0 || q.batches[0].Term != term || q.batches[0].Number != number {
		return nil
	}
	b := q.batches[0]
	q.batches[0] = nil
	q.batches = q.batches[1:]
	q.taken--
	q.safe = number
	return b
}

// Drop removes all batches, because none of them can be committed any more. It returns the number of their effects.
func (q *Queue) Drop() (effects int) {
	for _, b := range q.batches {
		effects += b.effects
	}
	q.batches, q.taken = nil, 0
	return effects
}

// Bytes returns the bytes of the batches that were not proposed.
func (q *Queue) Bytes() (n int64) {
	for _, b := range q.batches {
		n += int64(b.Len())
	}
	return n
}
