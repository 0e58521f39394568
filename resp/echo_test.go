package resp

import (
	"bytes"
	"fmt"
	"strings"
)

// echo is a handler for tests. It answers a command with its arguments, and records the calls of its methods in
// diary. It has the commands CLOSE, RETRY (returns Retry while retries > 0), PANIC, BIG n and PROTO n.
type echo struct {
	limits  Limits
	retries int
	need    uint64
	diary   []string
}

func (e *echo) Prefetch([][]byte) {}
func (e *echo) Closed()           { e.note("closed") }
func (e *echo) Limits() Limits    { return e.limits }

func (e *echo) RetryAfter() int64   { return NoTime }
func (e *echo) OutputLimit() int    { return 0 }
func (e *echo) MessageNeed() uint64 { return 0 }

func (e *echo) Failed(reason any, stack []byte) {
	e.note(fmt.Sprintf("failed: %v, stack %v", reason, stack != nil))
}

func (e *echo) End() uint64 {
	e.note("end")
	return e.need
}

func (e *echo) note(s string) {
	if len(e.diary) < 100 {
		e.diary = append(e.diary, s)
	}
}

func (e *echo) Handle(args [][]byte, w *Writer) Status {
	switch string(args[0]) {
	case "CLOSE":
		w.OK()
		return Close
	case "RETRY":
		w.Simple("half done")
		if e.retries > 0 {
			e.retries--
			return Retry
		}
	case "PANIC":
		w.Simple("half done")
		panic("PANIC was sent")
	case "BIG":
		var n int
		fmt.Sscan(string(args[1]), &n)
		w.Bulk(bytes.Repeat([]byte("x"), n))
		return Continue
	case "PROTO":
		w.Proto = int(args[1][0] - '0')
	}
	w.Array(len(args))
	for _, a := range args {
		w.Bulk(a)
	}
	return Continue
}

// feed gives b to the session in chunks, and returns all replies and the last status.
func feed(s *Session, b []byte, chunk int) (string, Status) {
	var out strings.Builder
	st := Continue
	for len(b) > 0 && st != Close {
		n := copy(s.Space(), b[:min(chunk, len(b))])
		b = b[n:]
		st = s.Filled(n)
		out.Write(s.Output())
		s.Sent()
		for st == Retry || st == Flush {
			st = s.Resume()
			out.Write(s.Output())
			s.Sent()
		}
	}
	return out.String(), st
}

// wire returns the request for a command.
func wire(args ...string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "*%d\r\n", len(args))
	for _, a := range args {
		fmt.Fprintf(&b, "$%d\r\n%s\r\n", len(a), a)
	}
	return b.String()
}

// echoed returns the reply of echo to a command.
func echoed(args ...string) string { return wire(args...) }
