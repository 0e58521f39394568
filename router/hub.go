package router

import (
	"context"
	"fmt"
	"log/slog"
	"net"
	"slices"
	"sync"
	"time"
)

// Options are what a Hub is made of.
type Options struct {
	Addresses []string // host:port of each node
	Dial      func(ctx context.Context, address string) (net.Conn, error)
	Clock     func() int64 // monotonic nanoseconds
	Log       *slog.Logger
	// Name and Version are what the hub shows as the name of each connection, and as the version of the
	// sidecar.
	Name, Version string
	// Timeout is how long the hub may take for a decision.
	Timeout func() time.Duration
}

// Hub is one cellserver, or a cluster.
type Hub struct {
	o       Options
	ctx     context.Context
	stop    context.CancelCauseFunc
	running sync.WaitGroup // links
	watched

	mu     sync.Mutex // guards the fields below
	leader leadership
	users  map[Identity]*User
}

// leadership says which node leads, as far as somebody knows. Its owner has a lock.
type leadership struct {
	base   context.Context
	node   string
	led    context.Context // ends when another node leads, or with base
	depose context.CancelFunc
}

// begin makes a node the first leader.
func (l *leadership) begin(node string) {
	l.node = node
	l.led, l.depose = context.WithCancel(l.base)
}

// pass notes that a node leads, perhaps the same one.
func (l *leadership) pass(node string) {
	if l.node != node {
		l.depose()
		l.begin(node)
	}
}

// MostUsers is how many users have clients at the same time.
const MostUsers = 128

// New returns a Hub. It opens no connection.
func New(o Options) *Hub {
	h := &Hub{o: o, users: map[Identity]*User{}}
	h.ctx, h.stop = context.WithCancelCause(context.Background())
	h.leader.base = h.ctx
	h.leader.begin(o.Addresses[0])
	return h
}

// Patience is how long a connection may take to open, and a node may stay silent.
func (h *Hub) Patience() time.Duration { return max(10*h.o.Timeout(), time.Second) }

// Leader returns the address of the node that leads, as far as the Hub knows.
func (h *Hub) Leader() string {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.leader.node
}

// Lead notes which node leads. It returns false if that is not an address.
func (h *Hub) Lead(address string) bool {
	host, port, err := net.SplitHostPort(address)
	if err != nil || port == "" {
		return false
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if host == "" || host == "?" { // the node does not know its own address: it is the one that was asked
		if host, _, err = net.SplitHostPort(h.leader.node); err != nil {
			return false
		}
	}
	h.leader.pass(net.JoinHostPort(host, port))
	return true
}

// away notes that a node does not answer. The next one of the list is asked then, and says who leads.
func (h *Hub) away(address string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.leader.node == address {
		at := slices.Index(h.o.Addresses, address)
		h.leader.pass(h.o.Addresses[(at+1)%len(h.o.Addresses)])
	}
}

// User returns the connections of a user without asking the hub whether it accepts the user.
func (h *Hub) User(id Identity) (*User, error) {
	u, err := h.join(id)
	if err == nil {
		h.accept(u)
	}
	return u, err
}

// accept notes that a user is one of the hub.
func (h *Hub) accept(u *User) {
	h.mu.Lock()
	defer h.mu.Unlock()
	u.accepted = true
}

// join adds a client to a user.
func (h *Hub) join(id Identity) (*User, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	u := h.users[id]
	if u == nil {
		if len(h.users) >= MostUsers {
			return nil, Refusal(fmt.Sprintf("ERR this sidecar has clients of %d users, and no more are "+
				"possible: start another sidecar", MostUsers))
		}
		u = &User{hub: h, id: id, links: map[track]*link{}}
		u.ctx, u.stop = context.WithCancelCause(h.ctx)
		h.users[id] = u
	}
	u.refs++
	return u, nil
}

// Named returns the connections of a user by the name, nil if it has no clients.
func (h *Hub) Named(name string) *User {
	h.mu.Lock()
	defer h.mu.Unlock()
	for id, u := range h.users {
		if u.accepted && id.User() == name {
			return u
		}
	}
	return nil
}

// Login asks the hub whether it accepts a user, and calls done with the connections of the user. Otherwise
// the error is a [Refusal], or says that the hub does not answer.
func (h *Hub) Login(id Identity, done func(*User, error)) {
	u, err := h.join(id)
	if err != nil {
		done(nil, err)
		return
	}
	answered := Whole(func(reply []byte, err error) {
		if err == nil && reply[0] == '-' {
			err = refusal(reply)
		}
		if err != nil {
			u.Release()
			u = nil
		} else {
			h.accept(u)
		}
		done(u, err)
	})
	u.Send(AskLane, 2, &Request{Command: AppendCommand(nil, id.auth()...), Sink: answered})
}

// release takes one client from a user.
func (h *Hub) release(u *User) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if u.refs--; u.refs == 0 {
		u.stop(errClosed)
		if h.users[u.id] == u {
			delete(h.users, u.id)
		}
	}
}

// forget drops a user whom the hub does not accept any more. Its clients keep it, and get the error. A login
// that fails says nothing about the other clients with this name.
func (h *Hub) forget(u *User, why error) {
	h.mu.Lock()
	known := h.users[u.id] == u
	if known {
		delete(h.users, u.id)
	}
	known = known && u.accepted
	h.mu.Unlock()
	u.stop(why)
	if known {
		h.refused(u, why)
	}
}

// refused tells that the hub does not accept a user.
func (h *Hub) refused(u *User, why error) {
	h.o.Log.Warn("the hub refuses a user: its leases are dropped", "user", u.Name(), "error", why)
	if h.dropUser != nil {
		h.dropUser(u.Name())
	}
}

// Close ends all connections, and waits for their goroutines.
func (h *Hub) Close() {
	h.stop(errClosed)
	h.running.Wait()
}
