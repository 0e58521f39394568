package aof

import "sync/atomic"

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
