package cluster

import (
	"errors"
	"io"
	"time"
)

var errEnds = errors.New("the node stops")

// sink writes a snapshot beside clients. Its writes fail after gone is closed.
//
// A goroutine that only computes keeps a processor. The Go runtime then looks for messages of clients and of other nodes on
// the processors that are left, or after 10 ms. So a write pauses if the last pause is stretch ago. In the pause the
// processor looks for messages.
type sink struct {
	io.Writer
	gone  <-chan struct{}
	clock Clock
	since int64 // monotonic time of the end of the last pause
}

const (
	stretch = 200 * time.Microsecond
	rest    = 50 * time.Microsecond // at least; it takes a millisecond if nothing else happens
)

// Write implements [io.Writer].
func (s *sink) Write(p []byte) (int, error) {
	select {
	case <-s.gone:
		return 0, errEnds
	default:
	}
	if s.clock.Monotonic()-s.since > int64(stretch) {
		time.Sleep(rest)
		s.since = s.clock.Monotonic()
	}
	return s.Writer.Write(p)
}
