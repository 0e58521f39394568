package line

import (
	"context"
	"errors"
	"net"

	"cellserver/commands"
	"cellserver/limiters/rules"
	"cellserver/resp"
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

// Refused is the text of an error reply.
type Refused string

// Error implements error.
func (r Refused) Error() string { return string(r) }

// Do is [Lines.Ask] for a command of texts. It calls read with the reply.
func (l *Lines) Do(ctx context.Context, args []string, read func(resp.Reply)) error {
	words := make([][]byte, len(args))
	for i, arg := range args {
		words[i] = []byte(arg)
	}
	reply, err := l.Ask(ctx, words, nil)
	if err == nil {
		read(reply)
	}
	return err
}

// Ask runs a command on a line, and opens the line if it must. It waits until the reply may leave. If the
// command asks a question, `q` gets the answer, and there is no reply. The error is an error reply
// ([Refused]), that of ctx, [ErrLost], or says that the server has closed the line.
func (l *Lines) Ask(ctx context.Context, args [][]byte, q *rules.Question) (resp.Reply, error) {
	var one *line
	select {
	case one = <-l.free:
	default:
		var err error
		if one, err = l.await(ctx); err != nil {
			return resp.Reply{}, err
		}
	}
	if one != nil && one.closed.Load() {
		one.end()
		one = nil
	}
	if one == nil {
		one = newLine(l.connect, address)
	}
	mark, out := uint64(0), resp.Writer{Proto: 2}
	if l.barrier != nil {
		mark = l.barrier.Mark()
	}
	need, err := one.run(ctx, args, q, &out)
	if err != nil || one.closed.Load() {
		one.end()
		one = nil
	}
	l.free <- one
	reply := resp.ReplyOf(out.Bytes())
	switch {
	case err != nil:
		return reply, err
	case need != 0 && l.barrier != nil && !l.barrier.Wait(mark):
		return reply, ErrLost
	case out.Len() > 0:
		if text, isError := reply.Error(); isError {
			return reply, Refused(text)
		}
	}
	return reply, nil
}

// await waits for a free line, for as long as a command may be held back.
func (l *Lines) await(ctx context.Context) (*line, error) {
	ctx, cancel := lasting(ctx)
	defer cancel()
	select {
	case one := <-l.free:
		return one, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// Close ends all lines. No Do may run, or run later.
func (l *Lines) Close() {
	for range cap(l.free) {
		if one := <-l.free; one != nil {
			one.end()
		}
	}
}
