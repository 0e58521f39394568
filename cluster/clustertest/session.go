package clustertest

import (
	"errors"
	"strings"
	"time"

	"cellserver/resp"
	"cellserver/resp/resptest"
	"cellserver/server"
)

// Session is one connection of a client to a machine. One goroutine uses it.
type Session struct {
	wire    wire
	process *process
	eager   bool
	client  *server.Client
	session *resp.Session
}

var (
	// ErrClosed is the error of a connection that was closed before the reply. The command may have run.
	ErrClosed = errors.New("clustertest: the connection was closed")
	// ErrRefused is the error of a command that did not run, because the machine does not lead or does not
	// run.
	ErrRefused = errors.New("clustertest: the machine did not run the command")
)

// Connect connects to the machine. The error is ErrRefused if it does not run.
func (m *Machine) Connect() (*Session, error) {
	p := m.running.Load()
	if p == nil {
		return nil, ErrRefused
	}
	s := &Session{process: p, eager: m.cluster.o.Eager, wire: newWire(m.cluster.t)}
	s.client = p.server.Connect(&s.wire)
	s.session = resp.NewSession(s.client)
	return s, nil
}

// Close closes the connection.
func (s *Session) Close() { s.client.Closed() }

// Cut closes the connection from the side of the server, also while a command waits. Any goroutine may call
// it.
func (s *Session) Cut() { s.wire.Close() }

// Do sends commands at once, and returns their replies in the types of package resptest. After ErrClosed the
// session must not be used.
func (s *Session) Do(commands ...string) ([]any, error) {
	var request []byte
	for _, line := range commands {
		var words []any
		for _, w := range strings.Fields(line) {
			words = append(words, w)
		}
		request = append(request, resptest.Command(words...)...)
	}
	if !s.run(request) {
		return nil, ErrClosed
	}
	return s.replies()
}

// Exchange sends bytes, and returns the bytes that answer the commands that are complete now. After false
// the session must not be used.
func (s *Session) Exchange(request []byte) (replies []byte, ok bool) {
	if !s.run(request) {
		return nil, false
	}
	replies = append(replies, s.session.Output()...)
	s.session.Sent()
	return replies, true
}

// run runs commands, and waits until their replies may leave. It reports false if they must not.
func (s *Session) run(request []byte) bool {
	mark := s.process.node.Mark()
	for len(request) > 0 {
		n := copy(s.session.Space(), request)
		request = request[n:]
		st := s.session.Filled(n)
		for st == resp.Retry && s.wire.pause(s.process, s.client.RetryAfter()) {
			mark = s.process.node.Mark()
			st = s.session.Resume()
		}
		if st != resp.Continue {
			return false
		}
	}
	return s.eager || s.safe(mark)
}

// safe waits until the replies may leave. It reports false if they must not.
func (s *Session) safe(mark uint64) bool {
	result := make(chan bool, 1)
	safe, now := s.process.node.Later(s.session.Need(), mark, func(safe bool) { result <- safe })
	if now {
		return safe
	}
	for again := s.process.node.Gather(); again > 0; again = s.process.node.Gather() {
		select {
		case safe := <-result:
			return safe
		case <-time.After(again):
		}
	}
	return <-result
}

// Now returns the time at which the last commands ran, in Unix nanoseconds.
func (s *Session) Now() int64 { return s.client.Conn().Now }

// replies reads the replies that the session has.
func (s *Session) replies() (all []any, err error) {
	out := s.session.Output()
	for len(out) > 0 {
		reply, n, err := resptest.Parse(out)
		if err != nil {
			return nil, err
		}
		out = out[n:]
		all = append(all, reply)
	}
	s.session.Sent()
	for _, reply := range all {
		if e, ok := reply.(error); ok && refused(e) {
			return all, ErrRefused
		}
	}
	return all, nil
}

func refused(err error) bool {
	for _, word := range []string{"CLUSTERDOWN", "MOVED", "LOADING"} {
		if strings.HasPrefix(err.Error(), word) {
			return true
		}
	}
	return false
}
