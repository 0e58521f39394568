package aof

import (
	"sync/atomic"

	"cellserver/internal/pieces"
	"cellserver/store"
)

const (
	// maxCollected is how many bytes of changes may wait to be written. While more wait, no command adds
	// changes ([Journal.Full]).
	maxCollected = 8 << 20
	// maxAtOnce is how many bytes [Journal.Later] writes itself. To write them takes less than a millisecond.
	maxAtOnce = 1 << 20
	// noteEvery is after how many further bytes of a lane they are counted: all processors share the count.
	noteEvery = 16 << 10
)

// backlog is how many bytes the journal holds in memory.
type backlog struct {
	collected atomic.Int64 // without the last noteEvery of each lane
	writing   atomic.Int64 // what a leader has taken
}

// Held returns about how many bytes of changes the journal holds in memory: those that wait, and those that
// are being written. It takes no lock.
func (j *Journal) Held() int64 { return j.held.collected.Load() + j.held.writing.Load() }

// Full reports whether more than 8 MB of changes wait. Then call [Journal.Relieve] before the next command
// that changes something. So the waiting changes are bounded, even if a client sends many commands at once.
// A command adds at most the values that it writes. Full takes no lock.
func (j *Journal) Full() bool { return j.held.collected.Load() > maxCollected }

// Relieve writes the changes while the journal is full. It may wait for the disk: call it with no lock held,
// and not on an event loop.
func (j *Journal) Relieve() {
	for j.Full() {
		j.writeUpTo(j.begun.Load())
	}
}

// largeMembers is the number of members from which a collection is encoded without the journal's lock.
// Encoding a million members takes a fifth of a second, and every other change would wait for it.
const largeMembers = 1000

// largeValue is the length in bytes from which strings are encoded without the journal's lock, too.
const largeValue = 256 << 10

// isLarge reports whether effects hold a large collection, or strings that are large together.
func isLarge(effects []store.Effect) bool {
	size := 0
	for i := range effects {
		e := &effects[i]
		size += len(e.Value) + len(e.More)
		if c := e.Collection; c != nil && c.Len() >= largeMembers || size >= largeValue {
			return true
		}
	}
	return false
}

// adoptedRoom is the room in front of effects that are encoded alone, for those that have collected
// meanwhile.
const adoptedRoom = 64 << 10

// encodeAlone returns effects in an encoder of their own, behind adoptedRoom.
func encodeAlone(effects []store.Effect) *encoder {
	e := newEncoder()
	size := 4 * adoptedRoom
	for i := range effects {
		size += len(effects[i].Value) + len(effects[i].More)
	}
	e.buf = make([]byte, adoptedRoom, size)
	e.transaction(effects)
	return e
}

// adopt appends the commands of [encodeAlone]. It copies the shorter part, because every other change waits
// for it.
func (e *encoder) adopt(o *encoder) {
	if before := len(e.buf); before <= adoptedRoom {
		copy(o.buf[adoptedRoom-before:], e.buf)
		e.buf = o.buf[adoptedRoom-before:]
	} else {
		e.buf = pieces.Append(e.buf, o.buf[adoptedRoom:])
	}
	e.db = o.db
}
