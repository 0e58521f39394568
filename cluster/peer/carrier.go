package peer

import (
	"bufio"
	"errors"
	"io"
	"net"
	"sync"
	"sync/atomic"
	"time"

	"github.com/hashicorp/go-hclog"
	"github.com/hashicorp/raft"
)

// Carrier is the transport of a node. It implements [raft.Transport].
type Carrier struct {
	*raft.NetworkTransport
	entries  raft.StreamLayer
	commits  Commits // may be nil
	screen   Screen
	timeout  time.Duration
	log      hclog.Logger
	consumer chan raft.RPC
	closed   chan struct{}
	once     sync.Once
	pauses   pauses
	complaints
}

// complaints are what a carrier counts and logs about other nodes.
type complaints struct {
	faults   atomic.Uint64 // requests with a fault
	ofFaults seldom
	ofPauses seldom
}

// Screen returns what Raft gets in place of a message. It works for the message until closed is closed.
type Screen func(message raft.RPC, closed <-chan struct{}) raft.RPC

// seldom allows one log line of a kind in each logPause.
type seldom struct{ quiet atomic.Bool }

const logPause = 10 * time.Second

// may reports whether a line may be written now.
func (s *seldom) may() bool {
	if !s.quiet.CompareAndSwap(false, true) {
		return false
	}
	time.AfterFunc(logPause, func() { s.quiet.Store(false) })
	return true
}

// NewCarrier returns a transport. Entries go over the connections of the second layer, and all other
// messages go over network. An answer must come within the timeout. Messages of network wait until something
// comes from quiet, and pass the screen; nil is no wait, and no screen.
func NewCarrier(network *raft.NetworkTransport, entries raft.StreamLayer, timeout time.Duration,
	quiet <-chan time.Time, commits Commits, screen Screen, log hclog.Logger) *Carrier {
	c := &Carrier{
		NetworkTransport: network, entries: entries, commits: commits, screen: screen, timeout: timeout, log: log,
		consumer: make(chan raft.RPC), closed: make(chan struct{}),
		pauses: pauses{byAddress: map[raft.ServerAddress]*pause{}},
	}
	go c.passOn(quiet)
	go c.accept()
	return c
}

// Consumer implements [raft.Transport].
func (c *Carrier) Consumer() <-chan raft.RPC { return c.consumer }

// AppendEntriesPipeline implements [raft.Transport]. Without a connection, Raft sends one request at a time,
// and asks for a pipeline again after each request.
func (c *Carrier) AppendEntriesPipeline(_ raft.ServerID, to raft.ServerAddress) (raft.AppendPipeline, error) {
	if c.pauses.isPaused(to) {
		return nil, raft.ErrPipelineReplicationNotSupported
	}
	conn, err := c.entries.Dial(to, c.timeout)
	if err != nil {
		c.judge(to, err)
		return nil, raft.ErrPipelineReplicationNotSupported
	}
	return newPipeline(conn, c.timeout, c.commits, func(err error) { c.judge(to, err) }), nil
}

// judge notes whether a pipeline to an address works. err is nil if entries arrive, otherwise the error that
// ended the pipeline.
func (c *Carrier) judge(to raft.ServerAddress, err error) {
	if err == nil {
		c.pauses.forget(to)
		return
	}
	select {
	case <-c.closed:
	default:
		if c.pauses.begin(to) && c.ofPauses.may() {
			c.log.Warn("a node gets entries one by one, because a connection for entries failed: see the error if this lasts", "node", to, "error", err)
		}
	}
}

// Close implements [raft.WithClose]. Requests that wait get no answer.
func (c *Carrier) Close() (err error) {
	c.once.Do(func() {
		close(c.closed)
		err = errors.Join(c.NetworkTransport.Close(), c.entries.Close())
	})
	return err
}

// passOn gives Raft the messages that came to its own transport, after something came from quiet.
func (c *Carrier) passOn(quiet <-chan time.Time) {
	if quiet != nil {
		select {
		case <-quiet:
		case <-c.closed:
			return
		}
	}
	for {
		select {
		case rpc := <-c.NetworkTransport.Consumer():
			if c.screen != nil {
				rpc = c.screen(rpc, c.closed)
			}
			if !c.give(rpc) {
				return
			}
		case <-c.closed:
			return
		}
	}
}

// give gives Raft a message. It reports false if the carrier is closed.
func (c *Carrier) give(rpc raft.RPC) bool {
	select {
	case c.consumer <- rpc:
		return true
	case <-c.closed:
		return false
	}
}

// accept serves the connections of the other nodes until the layer is closed.
func (c *Carrier) accept() {
	for {
		conn, err := c.entries.Accept()
		if err != nil {
			return
		}
		go func() {
			if err := c.serve(conn); err != nil {
				c.complain(conn.RemoteAddr(), err)
			}
			_ = conn.Close()
		}()
	}
}

// complain logs why a connection ended. It writes one line about faults in logPause at most.
func (c *Carrier) complain(from net.Addr, err error) {
	if errors.Is(err, io.EOF) || errors.Is(err, net.ErrClosed) {
		return
	}
	if !errors.As(err, new(fault)) {
		c.log.Debug("a connection for entries ended", "from", from, "error", err)
		return
	}
	total := c.faults.Add(1)
	if c.ofFaults.may() {
		c.log.Warn("a connection for entries was closed, because its bytes are wrong: see the error",
			"from", from, "error", err, "total", total)
	}
}

// serve answers the requests of a connection, one after the other. It ends the connection if Raft gives no
// answer to a request.
func (c *Carrier) serve(conn net.Conn) error {
	in := bufio.NewReaderSize(conn, 64<<10)
	answers := make(chan raft.RPCResponse, 1)
	var out []byte
	for {
		r, err := readRequest(in)
		if err != nil {
			return err
		}
		if !c.give(raft.RPC{Command: r, RespChan: answers}) {
			return nil
		}
		var answer raft.RPCResponse
		select {
		case answer = <-answers:
		case <-c.closed:
			return nil
		}
		a, ok := answer.Response.(*raft.AppendEntriesResponse)
		if !ok {
			return answer.Error
		}
		out = appendAnswer(out[:0], a)
		if _, err := conn.Write(out); err != nil {
			return err
		}
	}
}

// A pause after a failed pipeline. Each failure doubles it.
const (
	firstRest = 100 * time.Millisecond
	lastRest  = 5 * time.Second
)

// maxPauses is the most addresses that have pauses. A cluster has fewer nodes.
const maxPauses = 1024

// pauses are the times in which no pipeline to an address begins.
type pauses struct {
	mu        sync.Mutex                    // guards the map below
	byAddress map[raft.ServerAddress]*pause // of the addresses whose newest pipeline failed
}

// pause is the newest pause of an address.
type pause struct {
	length time.Duration
	lasts  bool
}

// begin begins a pause. It reports whether this is the first failure in a row.
func (p *pauses) begin(to raft.ServerAddress) (first bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.byAddress) >= maxPauses {
		clear(p.byAddress)
	}
	length := firstRest
	if one := p.byAddress[to]; one != nil {
		length = min(2*one.length, lastRest)
	} else {
		first = true
	}
	// It is a new value: the timer of an earlier pause must not end this one.
	one := &pause{length: length, lasts: true}
	p.byAddress[to] = one
	time.AfterFunc(length, func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		one.lasts = false
	})
	return first
}

// isPaused reports whether a pause of an address lasts at this moment.
func (p *pauses) isPaused(to raft.ServerAddress) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	one := p.byAddress[to]
	return one != nil && one.lasts
}

// forget forgets the failures of an address.
func (p *pauses) forget(to raft.ServerAddress) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.byAddress, to)
}
