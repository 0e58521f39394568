package peer

import (
	"context"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"cellserver/cluster/peer/message"
)

// Publisher sends published messages to the other nodes, at most once, and in order.
type Publisher struct {
	dialer  *Dialer
	limits  Limits
	dropped atomic.Uint64
	links   atomic.Pointer[[]*link] // sorted by address; nobody changes the slice

	mu      sync.Mutex // held while links is replaced
	closed  bool
	working sync.WaitGroup
}

// NewPublisher returns a Publisher without receivers. To sets them.
func NewPublisher(dialer *Dialer) *Publisher {
	p := &Publisher{dialer: dialer, limits: dialer.Limits.orDefault()}
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
	l := &link{to: addr, limits: &p.limits, total: &p.dropped, cancel: cancel, wake: make(chan struct{}, 1)}
	p.working.Go(func() { l.run(ctx, p.dialer) })
	return l
}

// Publish queues a message for every other node. It does not wait, and does not keep the bytes.
func (p *Publisher) Publish(channel, text []byte) {
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
	frame := message.AppendPublish(nil, channel, text)
	for _, l := range links {
		l.add(frame)
	}
}

// LinkStats are what was sent to one node.
type LinkStats struct {
	To            string
	Queued        int
	Sent, Dropped uint64
}

// Links returns what was sent to each node, sorted by address.
func (p *Publisher) Links() (all []LinkStats) {
	for _, l := range *p.links.Load() {
		all = append(all, l.stats())
	}
	return all
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
