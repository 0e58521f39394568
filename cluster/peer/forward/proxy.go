package forward

import (
	"context"
	"net"
	"sync"
	"time"
)

// The errors for clients that are not relayed. Each is the only reply on its connection.
const (
	clusterDown = "-CLUSTERDOWN The cluster is down\r\n"
	tooMany     = "-ERR max number of clients reached\r\n"
)

// openWithin bounds the time until a client is connected to the leader, or knows that it is not.
const openWithin = 5 * time.Second

// Dial opens a forwarding connection to the peer port of a node.
type Dial func(ctx context.Context, leader string) (net.Conn, error)

// Proxy relays clients to the leader.
type Proxy struct {
	dial Dial
	most int

	mu      sync.Mutex // guards leader, relays and closed
	leader  string     // peer address; "" if none is known
	relays  map[*relay]struct{}
	closed  bool
	working sync.WaitGroup
}

// A relay is one client. Its context ends when the client is cut.
type relay struct {
	ctx    context.Context
	cut    context.CancelFunc
	leader string
}

// New returns a Proxy that relays at most the given number of clients.
func New(dial Dial, most int) *Proxy {
	return &Proxy{dial: dial, most: most, relays: map[*relay]struct{}{}}
}

// Lead tells the Proxy the peer address of the leader; "" if none is known. It cuts the clients of every
// other leader.
func (p *Proxy) Lead(leader string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.leader = leader
	for r := range p.relays {
		if r.leader != leader {
			r.cut()
		}
	}
}

// Open returns the number of clients that are relayed.
func (p *Proxy) Open() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.relays)
}

// Close cuts all clients, and waits until their goroutines end.
func (p *Proxy) Close() {
	p.mu.Lock()
	p.closed = true
	for r := range p.relays {
		r.cut()
	}
	p.mu.Unlock()
	p.working.Wait()
}

// Serve relays a client until it ends, and closes its connection.
func (p *Proxy) Serve(client net.Conn) {
	defer func() { _ = client.Close() }()
	r, refusal := p.begin()
	if r == nil {
		p.tell(client, refusal)
		return
	}
	defer p.end(r)
	server, err := p.open(r, client)
	if err != nil {
		p.tell(client, clusterDown)
		return
	}
	stop := context.AfterFunc(r.ctx, func() {
		_ = client.Close()
		_ = server.Close()
	})
	defer stop()
	Relay(client, server)
}

// begin gives a client its place. If there is no place, it returns the error for the client.
func (p *Proxy) begin() (r *relay, refusal string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch {
	case p.closed || p.leader == "":
		return nil, clusterDown
	case len(p.relays) >= p.most:
		return nil, tooMany
	}
	r = &relay{leader: p.leader}
	r.ctx, r.cut = context.WithCancel(context.Background())
	p.relays[r] = struct{}{}
	p.working.Add(1)
	return r, ""
}

func (p *Proxy) end(r *relay) {
	r.cut()
	p.mu.Lock()
	delete(p.relays, r)
	p.mu.Unlock()
	p.working.Done()
}

// open connects to the leader, and names the client.
func (p *Proxy) open(r *relay, client net.Conn) (net.Conn, error) {
	ctx, stop := context.WithTimeout(r.ctx, openWithin)
	defer stop()
	server, err := p.dial(ctx, r.leader)
	if err != nil {
		return nil, err
	}
	done := context.AfterFunc(ctx, func() { _ = server.Close() })
	_, err = server.Write(Header(client.RemoteAddr(), client.LocalAddr()))
	if !done() && err == nil {
		err = ctx.Err()
	}
	if err != nil {
		_ = server.Close()
		return nil, err
	}
	return server, nil
}

// tell writes an error to a client. It does not wait for a client that does not read.
func (p *Proxy) tell(client net.Conn, text string) {
	late := time.AfterFunc(openWithin, func() { _ = client.Close() })
	defer late.Stop()
	_, _ = client.Write([]byte(text))
}
