package cluster

import (
	"errors"
	"io"
)

var errEnds = errors.New("the node stops")

// abortable is a writer whose writes fail after gone is closed.
type abortable struct {
	io.Writer
	gone <-chan struct{}
}

// Write implements [io.Writer].
func (w abortable) Write(p []byte) (int, error) {
	select {
	case <-w.gone:
		return 0, errEnds
	default:
		return w.Writer.Write(p)
	}
}
