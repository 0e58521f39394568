package clients

import (
	"net"
	"sync"
	"sync/atomic"

	"cellserver/commands"
)

// State is the reason why the command of a client has not run yet.
type State = uint32

// The states of a client.
const (
	Running       State = iota
	Waiting             // the command waits itself, such as WAIT
	Held                // CLIENT PAUSE or a long script holds the command
	UnblockedTime       // CLIENT UNBLOCK ended the wait as a timeout does
	UnblockedErr        // CLIENT UNBLOCK ended the wait with an error
)

// Entry is a client as other connections see it. Any goroutine may use it, except where a method
// says otherwise.
type Entry struct {
	Conn     *commands.Conn // other goroutines may use only its ID, Link, Subs and Watcher.Changed
	created  int64          // logical time, Unix nanoseconds
	registry *Registry

	state  atomic.Uint32 // a State
	killed atomic.Bool   // another client has closed the connection, so no further command runs

	mu   sync.Mutex // guards seen
	seen commands.ClientDetails
}

// Killed reports whether another client has closed the connection.
func (e *Entry) Killed() bool { return e.killed.Load() }

// Blocked reports whether the client's command waits.
func (e *Entry) Blocked() bool { return e.state.Load() != Running }

// State returns why the client's command has not run yet.
func (e *Entry) State() State { return e.state.Load() }

// Block marks the client's command as waiting; the session tries it again. why is [Waiting] or
// [Held]. Only the client's own goroutine calls it.
func (e *Entry) Block(why State) {
	if e.state.CompareAndSwap(Running, why) {
		e.registry.blocked.Add(1)
		return
	}
	e.state.CompareAndSwap(Held, why)
}

// Resume marks the client as running, and reports whether its command waited. Only the client's own
// goroutine calls it.
func (e *Entry) Resume() bool {
	if !e.Blocked() {
		return false
	}
	e.state.Store(Running)
	e.registry.blocked.Add(-1)
	return true
}

// unblock is CLIENT UNBLOCK. The goroutine of another client calls it. how is [UnblockedTime] or
// [UnblockedErr]. It returns false unless the command waits.
func (e *Entry) unblock(how State) bool { return e.state.CompareAndSwap(Waiting, how) }

// Publish publishes the state of the client. Only the client's own goroutine calls it.
func (e *Entry) Publish(last *commands.Command) {
	c := e.Conn
	d := commands.ClientDetails{
		Identity: c.Identity, Last: last, Active: c.Now, DB: c.DB, Queued: -1, QueuedSize: c.Transaction.Queue.Bytes,
		Modes: c.Modes, Tracking: c.Tracking.On, Bcast: c.Tracking.Bcast, Redirect: c.Tracking.Target(),
		Subs: c.Subs.Numbers(),
	}
	if c.Transaction.Queue.Active {
		d.Queued = len(c.Transaction.Queue.Commands)
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.Blocked() {
		d.Active = e.seen.Active // another try of a waiting command is not activity
	}
	e.seen = d
}

// PublishLast publishes the last command and its time. That is enough after a batch of commands
// that each work on one key. Only the client's own goroutine calls it.
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

// Kind returns the type of the client in CLIENT LIST TYPE and CLIENT KILL TYPE: "normal" or
// "pubsub".
func (e *Entry) Kind() string {
	if e.Conn.Subs.Subscribed() {
		return "pubsub"
	}
	return "normal"
}

// WaitsForServer reports whether the client is silent because it waits for the server. The
// directive timeout does not apply to such a client.
func (e *Entry) WaitsForServer() bool {
	return e.Blocked() || e.details().Modes.Monitoring || e.Kind() != "normal"
}

// info returns the published state of the client.
func (e *Entry) info() commands.ClientInfo {
	link := &e.Conn.Link
	i := commands.ClientInfo{
		ID: e.Conn.ID, Addr: e.Addr(), Laddr: e.registry.address(link.Peer.LocalAddr()), Kind: e.Kind(), Created: e.created,
		Whole: link.Whole, Proto: link.Proto(), Pending: link.Peer.Pending(), Memory: link.Peer.Memory(),
		ClientDetails: e.details(),
	}
	i.Flags = e.flags(&i.ClientDetails)
	return i
}

// Addr returns the address of the client: "ip:port", or "path:0" for the unix socket.
func (e *Entry) Addr() string { return e.registry.address(e.Conn.Link.Peer.RemoteAddr()) }

func (r *Registry) address(a net.Addr) string {
	if _, unix := a.(*net.UnixAddr); unix {
		return r.config().UnixSocket + ":0"
	}
	return a.String()
}

// flags returns the letters of CLIENT LIST, "N" if no flag is set.
func (e *Entry) flags(d *commands.ClientDetails) string {
	var letters []byte
	for _, f := range []struct {
		letter byte
		on     bool
	}{
		{'O', d.Modes.Monitoring}, {'P', e.Conn.Subs.Subscribed()}, {'x', d.Queued >= 0}, {'b', e.Blocked()}, {'t', d.Tracking},
		{'R', e.Conn.Tracking.Broken.Load()}, {'B', d.Bcast}, {'d', e.Conn.Transaction.Watcher.Changed()}, {'A', e.Killed()},
		{'U', e.Conn.Link.IsUnix()}, {'r', d.Modes.ReadOnly}, {'e', d.Modes.NoEvict}, {'T', d.Modes.NoTouch},
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
