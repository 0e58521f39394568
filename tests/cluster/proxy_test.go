package cluster

import (
	"net"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// proxy passes connections on to a server. It can delay bytes, hold them back, or break the connections.
type proxy struct {
	listener net.Listener
	target   string

	mu    sync.Mutex // guards the fields below
	delay time.Duration
	until time.Time // bytes wait until then
	conns map[net.Conn]bool
}

func newProxy(t *testing.T, target string) *proxy {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	p := &proxy{listener: l, target: target, conns: map[net.Conn]bool{}}
	t.Cleanup(func() {
		_ = l.Close()
		p.reset()
	})
	go p.accept()
	return p
}

func (p *proxy) port() int { return p.listener.Addr().(*net.TCPAddr).Port }

func (p *proxy) accept() {
	for {
		client, err := p.listener.Accept()
		if err != nil {
			return
		}
		server, err := net.Dial("tcp", p.target)
		if err != nil {
			_ = client.Close()
			continue
		}
		p.mu.Lock()
		p.conns[client], p.conns[server] = true, true
		p.mu.Unlock()
		go p.pass(client, server)
		go p.pass(server, client)
	}
}

// pass copies one direction until a side ends.
func (p *proxy) pass(from, to net.Conn) {
	type part struct {
		at    time.Time
		bytes []byte
	}
	parts := make(chan part, 1<<10)
	defer close(parts)
	go func() {
		defer func() { _ = to.Close() }()
		for one := range parts {
			time.Sleep(time.Until(later(one.at, p.held())))
			if _, err := to.Write(one.bytes); err != nil {
				_ = from.Close()
			}
		}
	}()
	for {
		buffer := make([]byte, 16<<10)
		n, err := from.Read(buffer)
		if err != nil {
			return
		}
		p.mu.Lock()
		at := time.Now().Add(p.delay)
		p.mu.Unlock()
		parts <- part{at, buffer[:n]}
	}
}

func (p *proxy) held() time.Time {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.until
}

// slow delays all bytes from now on.
func (p *proxy) slow(by time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.delay = by
}

// cut holds all bytes back for some time, as TCP does while packets are lost.
func (p *proxy) cut(d time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.until = time.Now().Add(d)
}

// reset breaks all connections.
func (p *proxy) reset() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for c := range p.conns {
		_ = c.Close()
	}
	clear(p.conns)
}
