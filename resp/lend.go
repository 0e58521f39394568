package resp

// keptRest is the largest empty buffer, in bytes, that a session keeps for itself after giveBack.
const keptRest = 512

// Lend gives the session buffers for one batch. Read into the returned space instead of Space. It is a part
// of shared, or of the session's own buffer if the current command does not fit into shared. If the session
// needs a buffer for replies, replies makes it. The session keeps that buffer until TakeOutput.
//
// Lending exists for speed and memory alone.
//
// What it is: an event loop lends the same buffer to one session after the other.
//
// What it brings: the buffer stays in the processor's cache. A silent connection needs no buffer of its own:
// it took 3.4 kB in all when it was last measured. A connection of Redis took 5.4 kB. A test bounds it:
//
//	go test -v -run TestIdleConnections ./tests
//
// What it must never do: keep a lent buffer, or a slice of one, after GiveBack.
func (s *Session) Lend(shared []byte, replies func() []byte) (space []byte) {
	if s.out.buf == nil {
		s.out.buf = replies()
	}
	in := &s.in
	held := in.buf[in.start:in.end]
	if len(held) > len(shared)/2 || in.parser.need() > len(shared) {
		return in.space()
	}
	in.own, in.lent = in.buf, true
	in.buf, in.start, in.end = shared, 0, copy(shared, held)
	return shared[in.end:]
}

// GiveBack ends the use of the input buffer that Lend gave, as Filled does. Call it if there is nothing to
// read.
func (s *Session) GiveBack() { s.in.giveBack() }

// giveBack moves the unread bytes from the lent buffer to the session's own.
func (in *input) giveBack() {
	if !in.lent {
		return
	}
	rest := in.buf[in.start:in.end]
	if len(rest) > len(in.own) {
		in.own = make([]byte, len(rest))
	} else if len(rest) == 0 && len(in.own) > keptRest {
		in.own = nil
	}
	in.buf, in.start, in.end = in.own, 0, copy(in.own, rest)
	in.own, in.lent = nil, false
}
