package line

import (
	"context"
	"errors"
	"net"
	"sync/atomic"
	"time"

	"cellserver/commands"
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
	session *resp.Session
	request []byte        // the bytes of args
	args    [][]byte      // of the command that runs
	wake    chan struct{} // has room for one
	closed  atomic.Bool
}

func newLine(connect func(commands.Peer) Handler, local net.Addr) *line {
	l := &line{local: local, wake: make(chan struct{}, 1)}
	l.handler = connect(l)
	l.session = resp.NewSession(l.handler)
	return l
}

// errCut means that the server has closed the line.
var errCut = errors.New("the server has closed the connection of this request")

// run runs a command. The reply is valid until the next run. need is the position that the reply waits for.
// decisions may be nil.
func (l *line) run(ctx context.Context, args []string, decisions commands.Decisions) (reply []byte, need uint64, err error) {
	l.handler.Conn().Link.Decisions = decisions
	if from, ok := ctx.Value(fromKey{}).(*requester); ok {
		l.from.Store(from)
	}
	l.setArgs(args)
	if l.session.Run(l.args) == resp.Retry {
		if err := l.outwait(ctx); err != nil {
			return nil, 0, err
		}
	}
	reply = l.session.Output()
	if len(reply) == 0 {
		return nil, 0, errCut
	}
	return reply, l.session.Need(), nil
}

// outwait tries a command again until it runs.
func (l *line) outwait(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, Patience)
	defer cancel()
	for {
		if err := l.pause(ctx); err != nil {
			return err
		}
		if l.session.Resume() != resp.Retry {
			return nil
		}
	}
}

// Patience is how long a line waits for a command that the server holds back.
const Patience = 5 * time.Second

// pause waits until the command is to run again.
func (l *line) pause(ctx context.Context) error {
	after := time.NewTimer(time.Duration(l.handler.RetryAfter()))
	defer after.Stop()
	select {
	case <-after.C:
	case <-l.wake:
	case <-ctx.Done():
		return ctx.Err()
	}
	return nil
}

// done makes the line ready for the next command. It reports false if there will be none.
func (l *line) done() bool {
	l.session.Sent()
	l.from.Store(nil)
	l.handler.Conn().Link.Decisions = nil // an idle line keeps no request in memory
	return !l.closed.Load()
}

// end ends the line for the server.
func (l *line) end() { l.handler.Closed() }

// setArgs copies the arguments of a command. Their bytes are together, so that a command allocates nothing.
func (l *line) setArgs(args []string) {
	l.request, l.args = l.request[:0], l.args[:0]
	for _, arg := range args {
		begin := len(l.request)
		l.request = append(l.request, arg...)
		l.args = append(l.args, l.request[begin:len(l.request):len(l.request)])
	}
}

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
