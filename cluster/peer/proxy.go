package peer

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/netip"
	"strconv"
	"strings"
	"sync"
	"time"
)

// The errors for clients that are not relayed. Each is the only reply on its connection.
const (
	clusterDown    = "-CLUSTERDOWN The cluster is down\r\n"
	tooManyClients = "-ERR max number of clients reached\r\n"
)

// openWithin bounds the time until a client is connected to the leader, or knows that it is not.
const openWithin = 5 * time.Second

// Proxy relays clients to the leader.
type Proxy struct {
	dial func(ctx context.Context, leader string) (net.Conn, error)
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

// NewProxy returns a Proxy that relays at most the given number of clients.
func NewProxy(d *Dialer, most int) *Proxy {
	return newProxy(func(ctx context.Context, leader string) (net.Conn, error) {
		return d.Dial(ctx, leader, kindForward, 0)
	}, most)
}

func newProxy(dial func(ctx context.Context, leader string) (net.Conn, error), most int) *Proxy {
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
	relayBytes(client, server)
}

// begin gives a client its place. If there is no place, it returns the error for the client.
func (p *Proxy) begin() (r *relay, refusal string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch {
	case p.closed || p.leader == "":
		return nil, clusterDown
	case len(p.relays) >= p.most:
		return nil, tooManyClients
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
	_, err = server.Write(proxyLine(client.RemoteAddr(), client.LocalAddr()))
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

// The shortest and the longest PROXY line, version 1, with its line end.
const (
	shortestLine = len("PROXY UNKNOWN\r\n")
	longestLine  = 107
)

// errHeader means that a forwarded connection does not begin with a PROXY line.
var errProxyLine = errors.New("a forwarded connection does not begin with a PROXY line")

// proxyLine returns the PROXY line for a client. The line does not name addresses that are not of TCP.
func proxyLine(client, server net.Addr) []byte {
	from, ok1 := client.(*net.TCPAddr)
	to, ok2 := server.(*net.TCPAddr)
	if !ok1 || !ok2 {
		return []byte("PROXY UNKNOWN\r\n")
	}
	a, b := plain(from), plain(to)
	family := "TCP4"
	if a.Addr().Is6() || b.Addr().Is6() {
		family = "TCP6"
	}
	return fmt.Appendf(nil, "PROXY %s %s %s %d %d\r\n", family, a.Addr(), b.Addr(), a.Port(), b.Port())
}

// plain writes an IPv4 address as such, and removes the name of the interface.
func plain(a *net.TCPAddr) netip.AddrPort {
	addr := a.AddrPort()
	return netip.AddrPortFrom(addr.Addr().Unmap().WithZone(""), addr.Port())
}

// readProxyLine reads a PROXY line and nothing after it. The address is nil if the line names none.
func readProxyLine(in io.Reader) (client *net.TCPAddr, err error) {
	line := make([]byte, shortestLine, longestLine)
	if _, err := io.ReadFull(in, line); err != nil {
		return nil, fmt.Errorf("the PROXY line: %w", err)
	}
	for line[len(line)-1] != '\n' {
		if len(line) == longestLine {
			return nil, errProxyLine
		}
		line = line[:len(line)+1]
		if _, err := io.ReadFull(in, line[len(line)-1:]); err != nil {
			return nil, fmt.Errorf("the PROXY line: %w", unexpected(err))
		}
	}
	return parseProxyLine(string(line))
}

func parseProxyLine(line string) (*net.TCPAddr, error) {
	text, ok := strings.CutSuffix(line, "\r\n")
	words := strings.Split(text, " ")
	switch {
	case !ok || len(words) < 2 || words[0] != "PROXY":
		return nil, errProxyLine
	case words[1] == "UNKNOWN":
		return nil, nil
	case len(words) != 6 || words[1] != "TCP4" && words[1] != "TCP6":
		return nil, errProxyLine
	}
	host, err := netip.ParseAddr(words[2])
	port, errPort := strconv.ParseUint(words[4], 10, 16)
	if err != nil || errPort != nil || host.Zone() != "" {
		return nil, errProxyLine
	}
	return net.TCPAddrFromAddrPort(netip.AddrPortFrom(host, uint16(port))), nil
}

// relayBytes copies bytes both ways until the server closes, or until the client has closed and the server
// has answered. Then it closes both connections. Closing one of them from another goroutine ends the relay.
func relayBytes(client, server net.Conn) {
	requests := make(chan struct{})
	go func() {
		defer close(requests)
		if _, err := io.Copy(inner(server), inner(client)); err != nil || !closeWrite(server) {
			_ = server.Close()
		}
	}()
	_, _ = io.Copy(inner(client), inner(server))
	_ = client.Close()
	_ = server.Close()
	<-requests
}

// inner returns the connection inside a wrapper, so that the system can copy between two sockets by itself.
func inner(conn net.Conn) net.Conn {
	for {
		wrapper, ok := conn.(interface{ Inner() net.Conn })
		if !ok {
			return conn
		}
		conn = wrapper.Inner()
	}
}

// closeWrite says to the other end that no more bytes follow. It reports whether the connection can say that.
func closeWrite(conn net.Conn) bool {
	half, ok := inner(conn).(interface{ CloseWrite() error })
	return ok && half.CloseWrite() == nil
}
