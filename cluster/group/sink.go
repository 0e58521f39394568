package group

import (
	"errors"
	"io"
	"time"

	"cellserver/cluster/entry"
	"cellserver/store"

	"github.com/hashicorp/raft"
)

// frozen is one snapshot for raft. It implements [raft.FSMSnapshot].
type frozen struct {
	store *store.Snapshot // nil after Persist
	facts entry.Facts
	undo  entry.Committed
	gone  chan struct{} // ends the writing
	now   func() int64  // monotonic time in nanoseconds
}

// Persist implements [raft.FSMSnapshot].
func (f *frozen) Persist(out raft.SnapshotSink) error {
	s := f.store
	f.store = nil
	return entry.SaveImage(&sink{Writer: out, gone: f.gone, now: f.now}, s, f.facts, f.undo)
}

// Release implements [raft.FSMSnapshot].
func (f *frozen) Release() {
	if f.store != nil {
		f.store.Close()
	}
}

var errEnds = errors.New("the node stops")

// sink writes a snapshot beside clients. Its writes fail after gone is closed.
//
// A goroutine that only computes keeps a processor. Then only the other processors receive messages of
// clients and of other nodes, or the Go runtime does after 10 ms. So a write pauses if more than stretch has
// passed since the last pause. In the pause the processor receives messages.
type sink struct {
	io.Writer
	gone  <-chan struct{}
	now   func() int64 // monotonic time in nanoseconds
	since int64        // monotonic time of the end of the last pause
}

const (
	stretch = 200 * time.Microsecond
	rest    = 50 * time.Microsecond // at least; on an idle server a pause takes about a millisecond
)

// Write implements [io.Writer].
func (s *sink) Write(p []byte) (int, error) {
	select {
	case <-s.gone:
		return 0, errEnds
	default:
	}
	if s.now()-s.since > int64(stretch) {
		time.Sleep(rest)
		s.since = s.now()
	}
	return s.Writer.Write(p)
}
