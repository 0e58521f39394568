package peer

import (
	"context"
	"net"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// Publisher sends published messages to the other nodes, at most once, and in order. It sends them scripts,
// too: a node gets all of them when it is connected, and then each new one.
type Publisher struct {
	scripts Scripts
	dialer  *Dialer
	limits  Limits
	dropped atomic.Uint64
	links   atomic.Pointer[[]*link] // sorted by address; nobody changes the slice

	mu      sync.Mutex // held while links is replaced
	closed  bool
	working sync.WaitGroup
}

// NewPublisher returns a Publisher without receivers. To sets them.
func NewPublisher(dialer *Dialer, scripts Scripts) *Publisher {
	p := &Publisher{scripts: scripts, dialer: dialer, limits: dialer.Limits.orDefault()}
	p.links.Store(&[]*link{})
	return p
}

// To sets the peer addresses of the other nodes.
func (p *Publisher) To(addrs []string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.closed {
		p.replace(addrs)
	}
}

// replace ends the links to other addresses, and starts the ones that are missing.
func (p *Publisher) replace(addrs []string) {
	var links []*link
	for _, l := range *p.links.Load() {
		if slices.Contains(addrs, l.to) {
			links = append(links, l)
		} else {
			l.cancel()
		}
	}
	for _, addr := range addrs {
		if !slices.ContainsFunc(links, func(l *link) bool { return l.to == addr }) {
			links = append(links, p.start(addr))
		}
	}
	slices.SortFunc(links, func(a, b *link) int { return strings.Compare(a.to, b.to) })
	p.links.Store(&links)
}

// start begins to send to a node.
func (p *Publisher) start(addr string) *link {
	ctx, cancel := context.WithCancel(context.Background())
	l := &link{
		scripts: p.scripts, to: addr, limits: &p.limits, total: &p.dropped, cancel: cancel,
		wake: make(chan struct{}, 1),
	}
	p.working.Go(func() { l.run(ctx, p.dialer) })
	return l
}

// Publish queues a message for every other node. It does not wait, and does not keep the bytes.
func (p *Publisher) Publish(shard bool, channel, text []byte) {
	links := *p.links.Load()
	if len(links) == 0 {
		return
	}
	if len(channel)+len(text) > p.limits.Message {
		for _, l := range links {
			l.drop(1)
		}
		return
	}
	frame := appendPublish(nil, shard, channel, text)
	for _, l := range links {
		l.add(frame)
	}
}

// NewScripts sends the scripts that are new. It does not wait.
func (p *Publisher) NewScripts() {
	for _, l := range *p.links.Load() {
		l.poke()
	}
}

// Dropped returns how many messages did not reach a node: one message that two nodes miss counts twice.
func (p *Publisher) Dropped() uint64 { return p.dropped.Load() }

// Close closes all connections, and waits until their goroutines end.
func (p *Publisher) Close() {
	p.mu.Lock()
	p.closed = true
	p.replace(nil)
	p.mu.Unlock()
	p.working.Wait()
}

// Pauses before a link connects again.
const (
	firstRetry = 100 * time.Millisecond
	lastRetry  = 2 * time.Second
)

// A link sends messages to one node. Its goroutine keeps the connection.
type link struct {
	scripts       Scripts
	to            string
	limits        *Limits
	cancel        context.CancelFunc
	wake          chan struct{} // has an element if there may be frames or scripts to send
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
	l.poke()
}

// poke lets the goroutine look for something to send.
func (l *link) poke() {
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

// run connects, sends, and connects again, until the context ends. A connection that ends soon counts as an
// error: a node of another cluster ends it at the first message.
func (l *link) run(ctx context.Context, d *Dialer) {
	for pause := firstRetry; ctx.Err() == nil; sleep(ctx, pause) {
		pause = min(2*pause, lastRetry)
		conn, err := d.Dial(ctx, l.to, kindCall, 0)
		if err != nil {
			l.drop(len(l.take()))
			continue
		}
		soon := time.AfterFunc(lastRetry, func() {})
		l.send(ctx, conn)
		if !soon.Stop() {
			pause = firstRetry
		}
	}
	l.drop(len(l.take()))
}

// send sends scripts and frames until the connection or the context ends.
func (l *link) send(ctx context.Context, conn net.Conn) {
	gone := make(chan struct{})
	go func() {
		defer close(gone)
		// the other node never answers a message, so this ends with the connection
		_, _ = conn.Read(make([]byte, 1))
		_ = conn.Close()
	}()
	defer func() {
		_ = conn.Close()
		<-gone
	}()
	l.poke() // the other node may know no script
	for sent := int64(0); ; {
		select {
		case <-ctx.Done():
			return
		case <-gone:
			return
		case <-l.wake:
		}
		var err error
		if sent, err = l.sendScripts(conn, sent); err != nil {
			return
		}
		frames := l.take()
		n := len(frames)
		if err = within(conn, l.limits.Step, func() error {
			_, err := (*net.Buffers)(&frames).WriteTo(conn)
			return err
		}); err != nil {
			l.drop(n)
			return
		}
		l.sent.Add(uint64(n))
	}
}

// sendScripts sends the scripts that came after the one of a number. It returns the number of the last one. A
// script that is too large for the other node is counted as a dropped message.
func (l *link) sendScripts(conn net.Conn, after int64) (last int64, err error) {
	texts, last := l.scripts(after)
	for _, text := range texts {
		if len(text) > l.limits.Message {
			l.drop(1)
			continue
		}
		if err := within(conn, l.limits.Step, func() error {
			_, err := conn.Write(appendFrame(nil, opScript, text))
			return err
		}); err != nil {
			return after, err
		}
	}
	return last, nil
}

// drop counts messages that do not reach the node.
func (l *link) drop(n int) {
	l.dropped.Add(uint64(n))
	l.total.Add(uint64(n))
}
