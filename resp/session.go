package resp

import "runtime/debug"

// Status says how a session goes on.
type Status int

const (
	// Continue means that the command is done; from a Session, that it wants more bytes.
	Continue Status = iota
	// Close means that nothing more is run: send what is written, then close.
	Close
	// Retry means that the command was not executed: send what is written, and Resume later.
	Retry
	// Flush comes from a Session only: much is written. Send it, then Resume at once.
	Flush
	// Offload means that the command was not executed, because it may take long: send what is written,
	// and Resume where nobody else waits. A handler answers it at most once for a command; from a
	// Session it comes only if others do wait.
	Offload
)

// flushAt is how much output, in bytes, makes a session ask for Flush. One reply may exceed it.
const flushAt = 1 << 20

// Handler runs the commands of one session. Its methods are called by one goroutine at a time,
// the one that drives the session.
type Handler interface {
	// Begin starts a batch of pipelined commands: the place to read the clock, once.
	Begin()
	// Foresee is called before Handle, for commands that have come already: each is told of once, in
	// their order, some time before its Handle. It is a chance to have its data fetched, no more. Until
	// End the bytes of what it told of stay where they are.
	Foresee(args [][]byte)
	// Handle runs one command and writes its reply. There is at least one argument; args alias the
	// input buffer and are valid until Handle returns. What it wrote before Retry or Offload is taken
	// back.
	Handle(args [][]byte, w *Writer) Status
	// End closes what Begin started, before the output of the batch leaves.
	End()
	// Limits bound the next request; asked when its first byte is looked at.
	Limits() Limits
	// Failed reports why the session closes itself: a [ProtocolError], with a nil stack, or the value
	// of a panic in Begin, Handle or End with its stack. The failed command's output is taken back.
	Failed(reason any, stack []byte)
	// Closed reports that the connection is gone. Nothing is called after it.
	Closed()
}

// Session is one client's side of the protocol, without a socket: bytes go in through Space and
// Filled, replies come out through Output and Sent. It is not safe for concurrent use.
type Session struct {
	handler Handler
	in      input
	out     Writer
	mark    int  // where the output of the command at hand starts
	begun   bool // Begin was called and End was not
	closed  bool
	shared  bool // whoever drives the session has others waiting
}

// NewSession is a session that speaks RESP2 until its handler sets the writer's Proto.
func NewSession(h Handler) *Session {
	s := &Session{handler: h}
	s.out.Proto = 2
	s.in.want = smallBuffer
	s.in.parser.reset()
	return s
}

// Space is where the next bytes are to be read into; it is never empty. It is valid until Filled.
func (s *Session) Space() []byte { return s.in.space() }

// Filled says that n bytes were read into Space, and runs every command that is complete.
func (s *Session) Filled(n int) Status {
	s.in.filled(n)
	return s.Resume()
}

// Received says that n bytes were read into Space after Retry. They are run in their turn.
func (s *Session) Received(n int) { s.in.filled(n) }

// Resume goes on after Retry, Offload or Flush.
func (s *Session) Resume() (st Status) {
	if s.closed {
		return Close
	}
	defer func() {
		if reason := recover(); reason != nil {
			s.panicked(reason, debug.Stack())
			st = Close
		}
	}()
	st = s.run()
	s.end()
	s.closed = st == Close
	return st
}

// run runs commands until there is none, or one stops it.
func (s *Session) run() Status {
	defer s.in.forget()
	for {
		found, err := s.in.next(s.handler)
		if err != nil {
			s.refuse(err)
			return Close
		}
		if !found {
			return Continue
		}
		if st := s.handle(); st != Continue {
			return st
		}
		if s.out.Len() >= flushAt {
			return Flush
		}
	}
}

// handle runs the command that was found.
func (s *Session) handle() Status {
	s.mark = s.out.Mark()
	if !s.begun {
		s.begun = true
		s.handler.Begin()
	}
	for args := s.in.foresee(); args != nil; args = s.in.foresee() {
		s.handler.Foresee(args)
	}
	st := s.handler.Handle(s.in.args(), &s.out)
	if st == Offload && !s.shared {
		st = s.handler.Handle(s.in.args(), &s.out)
	}
	if st == Retry || st == Offload {
		s.out.Truncate(s.mark)
		return st
	}
	s.mark = s.out.Mark()
	s.in.done()
	return st
}

// refuse answers a request that cannot be understood.
func (s *Session) refuse(err error) {
	if err != ErrBufferLimit {
		s.out.Error("ERR " + err.Error())
	}
	s.mark = s.out.Mark()
	s.handler.Failed(err, nil)
}

func (s *Session) end() {
	if s.begun {
		s.begun = false
		s.handler.End()
	}
}

// panicked closes the session after a panic of its handler; the replies before it stand.
func (s *Session) panicked(reason any, stack []byte) {
	s.closed = true
	s.out.Truncate(s.mark)
	s.handler.Failed(reason, stack)
	if !s.begun {
		return
	}
	defer func() {
		if again := recover(); again != nil {
			s.handler.Failed(again, debug.Stack())
		}
	}()
	s.end()
}

// Output is the replies that wait to be sent; it is valid until Sent, Filled or Resume.
func (s *Session) Output() []byte { return s.out.Bytes() }

// Sent says that Output has left.
func (s *Session) Sent() {
	s.out.Reset()
	s.out.shrink(busyBuffer)
}

// sentSome says that the first n bytes of Output have left.
func (s *Session) sentSome(n int) { s.out.buf = s.out.buf[n:] }

// lend gives the session buffers for one batch: one to read into, whose free part it returns, and
// one for replies, which it keeps until they are sent.
func (s *Session) lend(in []byte, out func() []byte) (space []byte) {
	if s.out.buf == nil {
		s.out.buf = out()
	}
	return s.in.lend(in)
}

// giveBack ends what lend began, but for the replies: what is unread moves to the session's own.
func (s *Session) giveBack() { s.in.giveBack() }

// sentAll says that Output has left, and gives its buffer away.
func (s *Session) sentAll() []byte {
	buf := s.out.buf[:0]
	s.out.buf = nil
	return buf
}

// Writer is where the session writes: its Proto is the client's protocol version.
func (s *Session) Writer() *Writer { return &s.out }

// Buffered is the number of bytes received and not yet run.
func (s *Session) Buffered() int { return s.in.end - s.in.start }

// Capacity is the memory that the session's buffers take, in bytes.
func (s *Session) Capacity() int { return s.in.capacity() + cap(s.out.buf) }

// Shrink gives buffers back that an idle connection does not need.
func (s *Session) Shrink() {
	s.in.shrink()
	s.out.shrink(smallBuffer)
}
