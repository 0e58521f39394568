package resp

import "runtime/debug"

// flushAt is how much output, in bytes, makes a session return Flush. One reply may exceed it.
const flushAt = 1 << 20

// Session is one client's side of the protocol, without a socket. Its driver reads bytes into Space, calls
// Filled, sends Output, and calls Sent. A Session is not safe for concurrent use.
type Session struct {
	handler    Handler
	in         input
	out        Writer
	mark       int    // the start of the current command's output
	begun      bool   // a command was given to Handle, and End was not called
	need       uint64 // what End has returned; 0 if no command ran
	closed     bool
	mayOffload bool
}

// NewSession returns a session that speaks RESP2 until its handler changes the writer's Proto.
func NewSession(h Handler) *Session {
	s := &Session{handler: h}
	s.out.Proto = 2
	s.in.want = IdleBuffer
	s.in.parser.reset()
	return s
}

// Space returns the room for the next bytes; it is never empty. It is valid until Filled.
func (s *Session) Space() []byte { return s.in.space() }

// Fit frees the room of Space, while a command waits.
func (s *Session) Fit() { s.in.fit() }

// Received tells the session about n new bytes in Space after Retry. Resume runs them.
func (s *Session) Received(n int) {
	if s.in.end += n; !s.in.lent {
		s.in.adapt(n)
	}
}

// Resume runs the commands that are left after Retry, Offload or Flush.
func (s *Session) Resume() Status { return s.Filled(0) }

// Filled tells the session about n new bytes in Space, and runs every complete command. It gives back the
// input buffer that Lend gave.
func (s *Session) Filled(n int) (st Status) {
	if s.need = 0; n > 0 {
		s.Received(n)
	}
	if s.closed {
		s.GiveBack()
		return Close
	}
	defer func() {
		if reason := recover(); reason != nil {
			s.panicked(reason, debug.Stack())
			st = Close
		}
		s.in.giveBack()
	}()
	st = s.run()
	if s.begun {
		s.begun = false
		s.need = s.handler.End()
	}
	s.closed = st == Close
	return st
}

// run runs commands until no complete one is left, or a command stops the batch.
func (s *Session) run() Status {
	defer s.in.upcoming.forget() // the buffer may change
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

// handle runs the current command.
func (s *Session) handle() Status {
	s.mark = s.out.Mark()
	s.begun = true
	if s.in.hasMore() {
		s.announce()
	}
	st := s.handler.Handle(s.in.args(), &s.out)
	if st == Offload && !s.mayOffload {
		s.out.Truncate(s.mark)
		st = s.handler.Handle(s.in.args(), &s.out)
	}
	if st == Retry || st == Offload {
		s.out.Truncate(s.mark)
		return st
	}
	if s.out.over {
		s.refuse(ErrOutputLimit)
		return Close
	}
	s.mark = s.out.Mark()
	s.in.done()
	return st
}

// announce passes the plain commands behind the current one to Prefetch.
func (s *Session) announce() {
	for !s.in.upcoming.full() {
		args := s.in.upcoming.find(s.in.buf, s.in.start, s.in.end)
		if args == nil {
			return
		}
		s.handler.Prefetch(args)
	}
}

// refuse ends a session that exceeds a limit, or that has sent an invalid request.
func (s *Session) refuse(err error) {
	if err != ErrBufferLimit && err != ErrOutputLimit {
		s.out.Error("ERR " + err.Error())
	}
	s.mark = s.out.Mark()
	s.handler.Failed(err, nil)
}

// panicked closes the session after a panic of its handler. The replies of earlier commands stay.
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
	s.begun = false
	s.need = s.handler.End()
}

// Need returns what the output of the last Filled or Resume waits for: the result of [Handler.End]. It is 0
// if no command ran.
func (s *Session) Need() uint64 { return s.need }

// OutputLimit returns the present limit: that of LimitOutput, or what the function of OnGrowth has returned
// since.
func (s *Session) OutputLimit() int { return s.out.limit }

// LimitOutput sets the most bytes of replies that may wait to be sent, 0 for no limit. If a command exceeds
// it, the session frees its output and closes, and the handler's Failed gets [ErrOutputLimit].
func (s *Session) LimitOutput(bytes int) { s.out.SetLimit(bytes) }

// Output returns the replies that wait to be sent. The result is valid until Sent, Filled or Resume. Output
// copies a long output, so a driver for sockets calls Pending, Segment and SentSome instead.
func (s *Session) Output() []byte { return s.out.Bytes() }

// Pending returns the number of bytes that wait to be sent.
func (s *Session) Pending() int { return s.out.Len() }

// Segment returns the first of the bytes that wait to be sent, empty if no bytes wait. It is valid until
// Sent, SentSome, Filled or Resume.
func (s *Session) Segment() []byte { return s.out.first() }

// Append adds whole messages behind the replies, and ignores the limit. The session takes the ownership of p.
func (s *Session) Append(p []byte) { s.out.own(p) }

// Sent says that all of Output was sent.
func (s *Session) Sent() {
	s.out.Reset()
	s.out.shrink(BusyBuffer)
}

// SentSome tells the session that the driver has sent the first n bytes of Segment.
func (s *Session) SentSome(n int) { s.out.drop(n) }

// SetMayOffload allows the session to return [Offload], or forbids it. Allow it while the driver serves
// other clients on the same goroutine. A new session never returns it: its handler runs each command at
// once.
func (s *Session) SetMayOffload(may bool) { s.mayOffload = may }

// TakeOutput says that all of Output was sent, and takes the output buffer away from the session.
func (s *Session) TakeOutput() []byte {
	buf := s.out.buf[:0]
	s.out.buf = nil
	return buf
}

// Writer returns the session's writer. Its Proto is the client's protocol version.
func (s *Session) Writer() *Writer { return &s.out }

// Buffered returns the number of bytes received and not yet run.
func (s *Session) Buffered() int { return s.in.unread() }

// Capacity returns the memory that the session's buffers take, in bytes.
func (s *Session) Capacity() int { return s.InputCapacity() + s.out.held + cap(s.out.buf) }

// InputCapacity returns the part of Capacity that the commands received take, in bytes.
func (s *Session) InputCapacity() int {
	n := len(s.in.buf) + cap(s.in.parser.spans)*spanSize
	for i := range s.in.upcoming.ring {
		n += cap(s.in.upcoming.ring[i].args) * argSize
	}
	return n
}

// Shrink frees the buffers that an idle connection does not need.
func (s *Session) Shrink() {
	s.in.shrink()
	s.out.shrink(IdleBuffer)
}
