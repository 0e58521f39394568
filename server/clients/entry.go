package clients

import (
	"net"
	"sync"
	"sync/atomic"

	"cellserver/commands"
)

// State says why a client's command has not run yet.
type State = uint32

// The states of a client.
const (
	Running       State = iota
	Waiting             // the command itself waits: WAIT
	Held                // CLIENT PAUSE holds the command
	UnblockedTime       // CLIENT UNBLOCK ended the wait as a timeout does
	UnblockedErr        // CLIENT UNBLOCK ended the wait with an error
)

// Entry is a client as other connections see it. Any goroutine may use it.
type Entry struct {
	Conn     *commands.Conn // of the client: only its ID, Link and Subs may be used by others
	created  int64          // logical time, Unix nanoseconds
	registry *Registry

	state  atomic.Uint32 // a State
	killed atomic.Bool   // another client closed it; no further command runs

	mu   sync.Mutex // guards seen
	seen commands.ClientDetails
}

// Killed reports whether another client closed this one.
func (e *Entry) Killed() bool { return e.killed.Load() }

// Blocked reports whether the client's command waits.
func (e *Entry) Blocked() bool { return e.state.Load() != Running }

// State returns why the client's command has not run yet.
func (e *Entry) State() State { return e.state.Load() }

// Block notes that the client's command will be tried again. why is [Waiting] or [Held].
func (e *Entry) Block(why State) {
	if e.state.CompareAndSwap(Running, why) {
		e.registry.blocked.Add(1)
		return
	}
	e.state.CompareAndSwap(Held, why)
}

// Resume ends the wait, and reports whether there was one.
func (e *Entry) Resume() bool {
	if !e.Blocked() {
		return false
	}
	e.state.Store(Running)
	e.registry.blocked.Add(-1)
	return true
}

// unblock is CLIENT UNBLOCK, on another client's goroutine.
func (e *Entry) unblock(how State) bool { return e.state.CompareAndSwap(Waiting, how) }

// Publish lets others see the client as it is now. Only the client's own goroutine calls it.
func (e *Entry) Publish(last *commands.Command) {
	c := e.Conn
	d := commands.ClientDetails{
		Identity: c.Identity, Last: last, Active: c.Now, DB: c.DB, Queued: -1, QueuedSize: c.Transaction.Queue.Bytes,
		Modes: c.Modes, Tracking: c.Tracking.On, Bcast: c.Tracking.Bcast, Redirect: c.Tracking.Target(),
		Channels: len(c.Subs.Channels), Patterns: len(c.Subs.Patterns),
	}
	if c.Transaction.Queue.Active {
		d.Queued = len(c.Transaction.Queue.Commands)
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.Blocked() {
		d.Active = e.seen.Active // another try is not a sign of life
	}
	e.seen = d
}

// PublishLast lets others see the last command and its time: all that a batch of commands on
// one key each can have changed. Only the client's own goroutine calls it.
func (e *Entry) PublishLast(last *commands.Command) {
	e.mu.Lock()
	e.seen.Last, e.seen.Active = last, e.Conn.Now
	e.mu.Unlock()
}

// details returns what the client has published.
func (e *Entry) details() commands.ClientDetails {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.seen
}

// Kind is the client's type, as CLIENT LIST TYPE and CLIENT KILL TYPE name it.
func (e *Entry) Kind() string {
	if e.Conn.Subs.Subscribed() {
		return "pubsub"
	}
	return "normal"
}

// WaitsForServer reports whether the client is silent because it waits for the server. The directive
// timeout does not apply to it then.
func (e *Entry) WaitsForServer() bool {
	return e.Blocked() || e.details().Modes.Monitoring || e.Kind() != "normal"
}

// info returns what others may see of the client.
func (e *Entry) info() commands.ClientInfo {
	link := &e.Conn.Link
	i := commands.ClientInfo{
		ID: e.Conn.ID, Addr: e.Addr(), Laddr: e.registry.address(link.Peer.LocalAddr()), Kind: e.Kind(), Created: e.created,
		Proto: link.Proto(), Pending: link.Peer.Pending(), Memory: link.Peer.Memory(), ClientDetails: e.details(),
	}
	i.Flags = e.flags(&i.ClientDetails)
	return i
}

// Addr is where the client comes from: "ip:port", or "path:0" of the unix socket.
func (e *Entry) Addr() string { return e.registry.address(e.Conn.Link.Peer.RemoteAddr()) }

func (r *Registry) address(a net.Addr) string {
	if _, unix := a.(*net.UnixAddr); unix {
		return r.config().UnixSocket + ":0"
	}
	return a.String()
}

// flags returns the letters of a client's state, "N" if there are none.
func (e *Entry) flags(d *commands.ClientDetails) string {
	var letters []byte
	for _, f := range []struct {
		letter byte
		on     bool
	}{
		{'O', d.Modes.Monitoring}, {'P', e.Conn.Subs.Subscribed()}, {'x', d.Queued >= 0}, {'b', e.Blocked()}, {'t', d.Tracking},
		{'R', e.Conn.Tracking.Broken.Load()}, {'B', d.Bcast}, {'A', e.Killed()}, {'U', e.Conn.Link.IsUnix()}, {'e', d.Modes.NoEvict},
		{'T', d.Modes.NoTouch},
	} {
		if f.on {
			letters = append(letters, f.letter)
		}
	}
	if letters == nil {
		return "N"
	}
	return string(letters)
}
