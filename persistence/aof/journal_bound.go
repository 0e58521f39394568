package aof

import (
	"sync/atomic"

	"cellserver/persistence/aof/format"
	"cellserver/store"
)

const (
	// maxCollected is how many bytes of changes may wait to be written. Then a client that has changed something
	// writes them before its next command ([Journal.Relieve]).
	maxCollected = 8 << 20
	// fewCollected is up to how many bytes are not counted, because counting costs time.
	fewCollected = 64 << 10
)

// backlog is how many bytes the journal holds in memory.
type backlog struct {
	collected atomic.Int64 // 0 for few bytes; changed with mu held
	writing   atomic.Int64 // what a leader has taken
}

// note notes that n bytes have collected.
func (b *backlog) note(n int) {
	if n > fewCollected {
		b.collected.Store(int64(n))
	}
}

// taken notes that a leader has taken n bytes, and that nothing collects.
func (b *backlog) taken(n int) {
	b.collected.Store(0)
	b.writing.Store(int64(n))
}

// Held returns about how many bytes of changes the journal holds in memory: those that wait, and those that are being
// written. It takes no lock.
func (j *Journal) Held() int64 { return j.held.collected.Load() + j.held.writing.Load() }

// Relieve writes the changes if more than 8 MB of them wait, and returns when they are written. Call it after each
// command, with no lock held: so what waits is bounded, however many commands a client sends at once. A command adds at
// most the values that it writes.
func (j *Journal) Relieve() {
	if j.held.collected.Load() > maxCollected {
		j.writeUpTo(j.begun.Load())
	}
}

// largeMembers is the number of members from which a collection is encoded without the journal's lock. Encoding a
// million members takes a fifth of a second, and every other change would wait for it.
const largeMembers = 1000

// isLarge reports whether effects hold a large collection.
func isLarge(effects []store.Effect) bool {
	for i := range effects {
		if c := effects[i].Collection; c != nil && c.Len() >= largeMembers {
			return true
		}
	}
	return false
}

// encodeAlone returns effects in an encoder of their own.
func encodeAlone(effects []store.Effect) *encoder {
	e := newEncoder()
	e.reset()
	e.transaction(effects)
	return e
}

// adopt appends the commands of another encoder, which began with [encoder.reset].
func (e *encoder) adopt(o *encoder) {
	if len(e.buf) == format.HeaderSize {
		e.buf = o.buf
	} else {
		e.buf = append(e.buf, o.buf[format.HeaderSize:]...)
	}
	e.db = o.db
}
