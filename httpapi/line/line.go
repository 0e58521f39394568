package line

import (
	"context"
	"errors"
	"net"
	"runtime/debug"
	"sync/atomic"
	"time"

	"cellserver/commands"
	"cellserver/limiters/rules"
	"cellserver/resp"
)

// Handler is a client of the server.
type Handler interface {
	resp.Handler
	Conn() *commands.Conn
}

// line is one connection without a socket. It is the [commands.Peer] of its client.
type line struct {
	local   net.Addr
	from    atomic.Pointer[requester] // of the request that runs; nil if it does not say
	handler Handler
	wake    chan struct{} // has room for one
	closed  atomic.Bool
}

func newLine(connect func(commands.Peer) Handler, local net.Addr) *line {
	l := &line{local: local, wake: make(chan struct{}, 1)}
	l.handler = connect(l)
	return l
}

// errCut means that the server has closed the line.
var errCut = errors.New("the server has closed the connection of this request")

// run runs a command, and tries it again while the server holds it back. need is the position that the reply
// waits for. asked may be nil.
func (l *line) run(
	ctx context.Context, args [][]byte, asked *rules.Question, out *resp.Writer,
) (need uint64, err error) {
	link := &l.handler.Conn().Link
	link.Asked = asked
	defer func() {
		link.Asked = nil // an idle line keeps no request in memory
		l.from.Store(nil)
		if reason := recover(); reason != nil {
			l.handler.Failed(reason, debug.Stack())
			err = errCut
		}
	}()
	if from, ok := ctx.Value(fromKey{}).(*requester); ok {
		l.from.Store(from)
	}
	st := l.handler.Handle(args, out)
	if st == resp.Retry || st == resp.Offload {
		if st, err = l.outwait(ctx, st, args, out); err != nil {
			return 0, err
		}
	}
	need = l.handler.End()
	if st == resp.Close {
		l.closed.Store(true)
		if out.Len() == 0 {
			err = errCut
		}
	}
	return need, err
}

// Patience is how long a line waits for a command that the server holds back.
const Patience = 5 * time.Second

// grace is how long it waits for a client that has left. One that has only closed its side of the connection
// still reads the answer.
const grace = time.Second

// lasting returns a context that ends after Patience, or after grace once ctx has ended.
func lasting(ctx context.Context) (context.Context, context.CancelFunc) {
	longer, cancel := context.WithTimeout(context.WithoutCancel(ctx), Patience)
	stop := context.AfterFunc(ctx, func() { time.AfterFunc(grace, cancel) })
	return longer, func() { stop(); cancel() }
}

// outwait tries a command again until it runs. A line has a goroutine of its own, so a long command runs
// here.
func (l *line) outwait(
	ctx context.Context, st resp.Status, args [][]byte, out *resp.Writer,
) (resp.Status, error) {
	ctx, cancel := lasting(ctx)
	defer cancel()
	for st == resp.Retry || st == resp.Offload {
		out.Reset()
		if st == resp.Retry {
			l.handler.End()
			if err := l.pause(ctx); err != nil {
				return st, err
			}
		}
		st = l.handler.Handle(args, out)
	}
	return st, nil
}

// pause waits until the command is to run again.
func (l *line) pause(ctx context.Context) error {
	select {
	case <-time.After(time.Duration(l.handler.RetryAfter())):
	case <-l.wake:
	case <-ctx.Done():
		return ctx.Err()
	}
	return nil
}

// end ends the line for the server.
func (l *line) end() { l.handler.Closed() }

// Push implements [commands.Peer]. A line never subscribes, so no message is for it.
func (l *line) Push([]byte) {}

// Close implements [commands.Peer].
func (l *line) Close() { l.closed.Store(true); l.Wake() }

// CloseAfterReply implements [commands.Peer].
func (l *line) CloseAfterReply() { l.closed.Store(true) }

// Wake implements [commands.Peer].
func (l *line) Wake() {
	select {
	case l.wake <- struct{}{}:
	default:
	}
}

// Gone implements [commands.Peer].
func (l *line) Gone() bool { return l.closed.Load() }

// Encrypted implements [commands.Peer].
func (l *line) Encrypted() bool { return false }

// Pending implements [commands.Peer].
func (l *line) Pending() int { return 0 }

// Memory implements [commands.Peer].
func (l *line) Memory() int { return 2 * resp.IdleBuffer }

// RemoteAddr implements [commands.Peer]. Other clients ask for it, too, while a request runs.
func (l *line) RemoteAddr() net.Addr {
	if from := l.from.Load(); from != nil {
		return from
	}
	return l.local
}

// requester is the address of the client of a request. It implements [net.Addr].
type requester string

// Network implements [net.Addr].
func (*requester) Network() string { return commands.OverHTTP }

// String implements [net.Addr].
func (r *requester) String() string { return string(*r) }

type fromKey struct{}

// From says from which address a request comes. The commands of the context then have it as that of their
// client.
func From(ctx context.Context, address string) context.Context {
	from := requester(address)
	return context.WithValue(ctx, fromKey{}, &from)
}

// LocalAddr implements [commands.Peer].
func (l *line) LocalAddr() net.Addr { return l.local }
