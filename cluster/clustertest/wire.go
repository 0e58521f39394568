package clustertest

import (
	"sync"
	"testing"
	"time"

	"cellserver/resp"
	"cellserver/server/servertest"
)

// wire is the server's side of a connection. It implements [commands.Peer].
type wire struct {
	servertest.Peer
	woken chan struct{} // has an element after Wake
	cut   chan struct{} // is closed by Close
	once  *sync.Once
}

func newWire(t testing.TB) wire {
	return wire{
		Peer: servertest.Peer{T: t}, once: new(sync.Once),
		woken: make(chan struct{}, 1), cut: make(chan struct{}),
	}
}

// Wake implements [commands.Peer].
func (w *wire) Wake() {
	select {
	case w.woken <- struct{}{}:
	default: // the session will run anyway
	}
}

// Close implements [commands.Peer].
func (w *wire) Close() { w.once.Do(func() { close(w.cut) }) }

// pause waits until a command that waits is to run again. It reports false if the connection has ended.
func (w *wire) pause(p *process, after int64) bool {
	var due <-chan time.Time
	if after != resp.NoTime {
		due = time.After(time.Duration(after))
	}
	select {
	case <-w.woken:
	case <-due:
	case <-w.cut:
		return false
	case <-p.stop:
		return false
	}
	return true
}
