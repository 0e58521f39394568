package router

import (
	"context"
	"io"
	"net"
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

// Relay carries the bytes of whole clients to the node that leads. A client has a connection to that node for
// itself, so that transactions and AUTH need no code. If another node leads, the client is cut.
type Relay struct {
	dial Forward
	most int

	mu      sync.Mutex // guards the fields below
	leader  leadership // "" if no leader is known
	open    int
	closed  bool
	working sync.WaitGroup
}

// Forward connects to a node for a client.
type Forward func(ctx context.Context, node string, client net.Conn) (net.Conn, error)

// NewRelay returns a Relay of at most the given number of clients.
func NewRelay(dial Forward, most int) *Relay {
	r := &Relay{dial: dial, most: most, leader: leadership{base: context.Background()}}
	r.leader.begin("")
	return r
}

// Lead says which node leads; "" if none is known. It cuts the clients of every other node.
func (r *Relay) Lead(node string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.leader.pass(node)
}

// Close cuts all clients, and waits until their goroutines end.
func (r *Relay) Close() {
	r.mu.Lock()
	r.closed = true
	r.leader.depose()
	r.mu.Unlock()
	r.working.Wait()
}

// Serve relays a client until it ends, and closes its connection.
func (r *Relay) Serve(client net.Conn) {
	defer func() { _ = client.Close() }()
	leader, refusal := r.enter()
	if refusal != "" {
		tell(client, refusal)
		return
	}
	defer r.leave()
	server, err := r.connect(leader, client)
	if err != nil {
		tell(client, clusterDown)
		return
	}
	stop := context.AfterFunc(leader.led, func() {
		_ = client.Close()
		_ = server.Close()
	})
	defer stop()
	relayBytes(client, server)
}

// enter gives a client its place. If there is no place, it returns the error for the client.
func (r *Relay) enter() (leader leadership, refusal string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	switch {
	case r.closed || r.leader.node == "":
		return leader, clusterDown
	case r.open >= r.most:
		return leader, tooManyClients
	}
	r.open++
	r.working.Add(1)
	return r.leader, ""
}

func (r *Relay) leave() {
	r.mu.Lock()
	r.open--
	r.mu.Unlock()
	r.working.Done()
}

// connect connects to the leader, while it leads.
func (r *Relay) connect(leader leadership, client net.Conn) (net.Conn, error) {
	ctx, stop := context.WithTimeout(leader.led, openWithin)
	defer stop()
	return r.dial(ctx, leader.node, client)
}

// tell writes an error to a client. It does not wait for a client that does not read.
func tell(client net.Conn, text string) {
	late := time.AfterFunc(openWithin, func() { _ = client.Close() })
	defer late.Stop()
	_, _ = client.Write([]byte(text))
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
