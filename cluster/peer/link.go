package peer

import (
	"context"
	"net"
	"sync"
	"sync/atomic"
	"time"

	"cellserver/cluster/peer/handshake"
)

// Pauses before a link connects again.
const (
	firstRetry = 100 * time.Millisecond
	lastRetry  = 2 * time.Second
)

// A link sends messages to one node. Its goroutine keeps the connection.
type link struct {
	to            string
	limits        *Limits
	cancel        context.CancelFunc
	wake          chan struct{} // has an element if the queue may have frames
	sent, dropped atomic.Uint64
	total         *atomic.Uint64 // dropped, of all links

	mu    sync.Mutex // guards queue and bytes
	queue [][]byte
	bytes int
}

// add queues a frame, or drops it if the queue is full.
func (l *link) add(frame []byte) {
	l.mu.Lock()
	full := len(l.queue) >= l.limits.QueueCount || l.bytes+len(frame) > l.limits.QueueBytes
	if !full {
		l.queue = append(l.queue, frame)
		l.bytes += len(frame)
	}
	l.mu.Unlock()
	if full {
		l.drop(1)
		return
	}
	select {
	case l.wake <- struct{}{}:
	default:
	}
}

// take empties the queue.
func (l *link) take() [][]byte {
	l.mu.Lock()
	defer l.mu.Unlock()
	frames := l.queue
	l.queue, l.bytes = nil, 0
	return frames
}

// run connects, sends, and connects again, until the context ends.
func (l *link) run(ctx context.Context, d *Dialer) {
	for pause := firstRetry; ctx.Err() == nil; sleep(ctx, pause) {
		conn, err := d.Dial(ctx, l.to, handshake.Call, 0)
		if err != nil {
			l.drop(len(l.take()))
			pause = min(2*pause, lastRetry)
			continue
		}
		pause = firstRetry
		l.send(ctx, conn)
	}
	l.drop(len(l.take()))
}

// send sends frames until the connection or the context ends.
func (l *link) send(ctx context.Context, conn net.Conn) {
	gone := make(chan struct{})
	go func() {
		defer close(gone)
		_, _ = conn.Read(make([]byte, 1)) // the other node never answers a message, so this ends with the connection
		_ = conn.Close()
	}()
	defer func() {
		_ = conn.Close()
		<-gone
	}()
	for {
		select {
		case <-ctx.Done():
			return
		case <-gone:
			return
		case <-l.wake:
		}
		frames := l.take()
		n := len(frames)
		if err := handshake.Within(conn, l.limits.Step, func() error {
			_, err := (*net.Buffers)(&frames).WriteTo(conn)
			return err
		}); err != nil {
			l.drop(n)
			return
		}
		l.sent.Add(uint64(n))
	}
}

// drop counts messages that do not reach the node.
func (l *link) drop(n int) {
	l.dropped.Add(uint64(n))
	l.total.Add(uint64(n))
}

func (l *link) stats() LinkStats {
	l.mu.Lock()
	defer l.mu.Unlock()
	return LinkStats{l.to, len(l.queue), l.sent.Load(), l.dropped.Load()}
}
