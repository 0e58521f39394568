package sidecar

import (
	"errors"
	"sync"
	"sync/atomic"
	"time"

	"cellserver/commands"
	"cellserver/resp"
	"cellserver/router"
)

// own is the connection to the hub of one client that has a state there: a transaction, a database, watched
// keys. Its replies have places in the order of the client, as all others have. A client that subscribes
// streams: what the hub sends goes to the client as it is.
//
// An own is the [router.Sink] of what comes between replies.
type own struct {
	order *order
	conn  *router.Own
	// The goroutine of the client uses these two.
	queues  bool // after MULTI
	streams bool

	db atomic.Int64 // the database that the client has selected

	mu     sync.Mutex // guards the fields below
	asked  int        // commands of a stream
	failed bool       // it has never opened
	left   bool       // the client does not use it any more
	reset  reset
	last   []byte // may be lastReplies
}

// reset says how far RESET of a stream is. The hub gets RESET and QUIT: it sends the replies that are due,
// and closes.
type reset uint8

const (
	notReset  reset = iota
	resetting       // lastReplies are still to come, and are not for the client
	isReset         // the connection has ended
)

// lastReplies are those to RESET and QUIT.
const lastReplies = "+RESET\r\n+OK\r\n"

// connectOwn gives the client a connection of its own, if it has none. It returns false while replies on
// other connections are outstanding.
func (f *Front) connectOwn(w *resp.Writer) bool {
	if f.state.own != nil {
		return true
	}
	if !f.order.wait(0) {
		return false
	}
	o := &own{order: &f.order}
	o.conn = f.user.Own(w.Proto, f.Conn().Identity.Name, o, f.order.peer.Wake)
	f.state.own = o
	f.pinned.Store(true)
	return true
}

// leaveOwn ends the client's own connection: the client shares connections again.
func (f *Front) leaveOwn() {
	o := f.state.own
	if o == nil {
		return
	}
	o.mu.Lock()
	o.left = true
	o.mu.Unlock()
	o.conn.Close()
	f.state.own = nil
	f.pinned.Store(false)
}

// wayOf returns the way of a command of a client with a connection of its own. way is that of others.
func (o *own) wayOf(cmd *commands.Command, other way) way {
	switch {
	case other == streams, other == here && isFarewell(cmd):
		return other
	case !o.queues && (other == here || other == logins):
		return other
	}
	return owns
}

// isFarewell reports whether a command ends what the client has.
func isFarewell(cmd *commands.Command) bool {
	return cmd != nil && (cmd.Name == "quit" || cmd.Name == "reset")
}

// sendOwn sends a command over the client's own connection.
func (f *Front) sendOwn(cmd *commands.Command, args [][]byte, w *resp.Writer) resp.Status {
	if !f.connectOwn(w) {
		return f.wait()
	}
	o := f.state.own
	switch {
	case cmd == nil:
	case o.queues && (isPersonal(cmd) || cmd.Name == "auth" || cmd.Name == "hello"):
		args = personal(cmd, "inside MULTI")
	case cmd.Name == "multi":
		o.queues = true
	case cmd.Name == "exec" || cmd.Name == "discard":
		o.queues = false
	}
	request := router.AppendCommand(nil, args...)
	sink := &owned{relayed: relayed{f.order.add(len(request))}}
	if cmd != nil && cmd.Name == "select" {
		sink.selects, _ = commands.ParseInt(args[1])
		sink.db = &o.db
	}
	o.conn.Send(&router.Request{Command: request, Sink: sink})
	return resp.Continue
}

// tell sends a command of the sidecar itself over the client's own connection. An error ends the client.
func (o *own) tell(words ...string) {
	slot := o.order.add(0)
	o.conn.Send(&router.Request{Command: router.AppendCommand(nil, words...), Sink: router.Whole(
		func(reply []byte, err error) {
			if slot.write(nil, true); err != nil || reply[0] == '-' {
				o.order.peer.Close()
			}
		})})
}

// isPersonal reports whether a command is about the client itself. The hub knows another client.
func isPersonal(cmd *commands.Command) bool {
	switch cmd.FullName() {
	case "client|id", "client|info", "client|kill", "client|list", "client|unblock":
		return true
	}
	return false
}

// personal returns a command for the hub in the place of a personal one that cannot run here. The hub refuses
// it in words that the client understands, and so the transaction, too.
func personal(cmd *commands.Command, where string) [][]byte {
	return [][]byte{[]byte("CLIENT"), []byte(cmd.FullName() + " through a sidecar " + where)}
}

// beginStream makes the client stream. The replies that are outstanding come before.
func (f *Front) beginStream(args [][]byte, w *resp.Writer) resp.Status {
	if !f.connectOwn(w) || !f.order.wait(0) {
		return f.wait()
	}
	f.state.own.streams = true
	f.state.own.conn.Stream()
	return f.stream(args, w)
}

// stream sends a command of a client that streams. It waits while much is to be written.
func (f *Front) stream(args [][]byte, w *resp.Writer) resp.Status {
	o := f.state.own
	if len(args) == 1 && commands.Is(args[0], "reset") {
		return f.resetStream(args, w)
	}
	if cmd, err := commands.Resolve(f.names.Lookup(args[0]), args); err == nil && isPersonal(cmd) {
		args = personal(cmd, "after SUBSCRIBE or MONITOR")
	}
	f.order.state.Store(true) // its replies are messages
	o.mu.Lock()
	ok, err := o.conn.Write(router.AppendCommand(nil, args...))
	if ok {
		o.asked++
	}
	o.mu.Unlock()
	switch {
	case ok:
		return resp.Continue
	case err == nil:
		return f.wait()
	}
	f.leaveOwn()
	f.reply(errorReply(lossText(err)), w)
	return resp.Continue
}

// resetStream runs RESET as soon as the client's own connection has ended.
func (f *Front) resetStream(args [][]byte, w *resp.Writer) resp.Status {
	o := f.state.own
	o.mu.Lock()
	ended := o.failed || o.reset == isReset
	if !ended && o.reset == notReset {
		both := router.AppendCommand(router.AppendCommand(nil, "RESET"), "QUIT")
		if ok, err := o.conn.Write(both); ok {
			o.reset = resetting
		} else {
			ended = err != nil
		}
	}
	o.mu.Unlock()
	if !ended {
		return f.wait()
	}
	f.leaveOwn()
	return f.Handle(args, w)
}

// hasFailed reports whether the connection has never opened.
func (o *own) hasFailed() bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.failed
}

// Reply implements [router.Sink]: a message between two replies, or what a stream brings.
func (o *own) Reply(p []byte, _ bool) {
	o.mu.Lock()
	if o.reset == resetting {
		o.last = append(o.last, p...)
		n := max(0, len(o.last)-len(lastReplies))
		p = append([]byte(nil), o.last[:n]...)
		o.last = append(o.last[:0], o.last[n:]...)
	}
	o.mu.Unlock()
	o.order.push(p)
}

// Lost implements [router.Sink].
func (o *own) Lost(err error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.left {
		return
	}
	rest := o.last
	switch {
	case errors.As(err, &router.Unsent{}):
		o.failed = true
		for range o.asked {
			rest = append(rest, errorReply(lossText(err))...)
		}
	case string(o.last) == lastReplies:
		o.reset, rest = isReset, nil
	}
	if len(rest) > 0 {
		o.order.peer.Push(rest)
	}
	if !o.failed && o.reset != isReset {
		o.order.peer.CloseAfterReply()
	}
	o.order.peer.Wake()
}

// owned is the sink of a reply on a client's own connection.
type owned struct {
	relayed
	selects int64         // a database
	db      *atomic.Int64 // gets it if the hub says OK; nil for other commands
}

// Reply implements [router.Sink].
func (r *owned) Reply(p []byte, end bool) {
	if r.db != nil && string(p) == "+OK\r\n" {
		r.db.Store(r.selects)
	}
	r.relayed.Reply(p, end)
	r.order.slow()
}

// Bounds of a client that does not read its replies.
const (
	mostUnread = 1 << 20              // bytes; with more, its own connection is not read
	slowReader = 2 * time.Millisecond // so long it is not asked again
)

// push sends a message to the client, and waits for a client that does not read.
func (o *order) push(p []byte) {
	if len(p) > 0 {
		o.peer.Push(p)
		o.slow()
	}
}

// slow waits while much waits for the client. Only a connection that nobody shares may wait.
func (o *order) slow() {
	for o.peer.Pending() > mostUnread && !o.gone() {
		time.Sleep(slowReader)
	}
}
