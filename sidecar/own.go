package sidecar

import (
	"errors"
	"sync"
	"sync/atomic"

	"cellserver/commands"
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

	transaction
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
