package line

import (
	"context"
	"errors"
	"net"

	"cellserver/commands"
)

// Barrier holds replies back until the changes that they report are safe. It is that of package transport.
type Barrier interface {
	Mark() uint64
	Wait(mark uint64) bool
}

// Lines run commands for many callers at the same time. Their methods are safe for concurrent use.
type Lines struct {
	connect func(commands.Peer) Handler
	barrier Barrier // nil: no reply waits
	free    chan *line
}

// New returns lines for at most this number of commands at the same time. connect makes a client of the
// server.
func New(most int, barrier Barrier, connect func(commands.Peer) Handler) *Lines {
	l := &Lines{connect: connect, barrier: barrier, free: make(chan *line, most)}
	for range most {
		l.free <- nil // not open yet
	}
	return l
}

// address is what the server shows as the address of a line.
var address = &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1)}

// ErrLost means that a change of the command may be lost, so its outcome is unknown.
var ErrLost = errors.New("the change could not be made safe, so the outcome is unknown")

// Do runs a command and calls read with its reply, which is valid until read returns. It waits until the
// reply may leave. The error is that of ctx, [ErrLost], or says that the server has closed the line.
func (l *Lines) Do(ctx context.Context, args []string, read func(Reply)) error {
	return l.Decide(ctx, args, nil, read)
}

// Decide is [Lines.Do] for a command that gives its decisions to a caller as values. Its reply is OK, or an
// error.
func (l *Lines) Decide(ctx context.Context, args []string, to commands.Decisions, read func(Reply)) error {
	one, err := l.take(ctx)
	if err != nil {
		return err
	}
	mark := uint64(0)
	if l.barrier != nil {
		mark = l.barrier.Mark()
	}
	need, err := l.runOn(ctx, &one, args, to, read)
	l.free <- one
	if err == nil && need != 0 && l.barrier != nil && !l.barrier.Wait(mark) {
		return ErrLost
	}
	return err
}

// take waits for a free line, for as long as a command may be held back.
func (l *Lines) take(ctx context.Context) (*line, error) {
	select {
	case one := <-l.free:
		return one, nil
	default:
	}
	ctx, cancel := context.WithTimeout(ctx, Patience)
	defer cancel()
	select {
	case one := <-l.free:
		return one, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// runOn runs a command on a line, which it opens if it must. It sets the line to nil if it cannot be used
// again.
func (l *Lines) runOn(ctx context.Context, one **line, args []string, to commands.Decisions, read func(Reply)) (need uint64, err error) {
	if *one != nil && (*one).closed.Load() {
		(*one).end()
		*one = nil
	}
	if *one == nil {
		*one = newLine(l.connect, address)
	}
	reply, need, err := (*one).run(ctx, args, to)
	if err == nil {
		read(Reply{reply})
	}
	if !(*one).done() || err != nil {
		(*one).end()
		*one = nil
	}
	return need, err
}

// Close ends all lines. No Do may run, or run later.
func (l *Lines) Close() {
	for range cap(l.free) {
		if one := <-l.free; one != nil {
			one.end()
		}
	}
}
