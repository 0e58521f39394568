package transport

import (
	"bytes"
	"fmt"

	"cellserver/resp"
	"cellserver/resp/resptest"
)

// echo is a handler for tests. It answers a command with its arguments, except for CLOSE, PANIC and BIG n.
type echo struct{ outputLimit int }

func (*echo) Prefetch([][]byte)   {}
func (*echo) End() uint64         { return 0 }
func (*echo) Closed()             {}
func (*echo) Limits() resp.Limits { return resp.Limits{} }
func (*echo) RetryAfter() int64   { return resp.NoTime }
func (e *echo) OutputLimit() int  { return e.outputLimit }
func (*echo) MessageNeed() uint64 { return 0 }
func (*echo) Failed(any, []byte)  {}

func (*echo) Handle(args [][]byte, w *resp.Writer) resp.Status {
	switch string(args[0]) {
	case "CLOSE":
		w.OK()
		return resp.Close
	case "PANIC":
		w.Simple("half done")
		panic("PANIC was sent")
	case "BIG":
		var n int
		fmt.Sscan(string(args[1]), &n)
		w.Bulk(bytes.Repeat([]byte("x"), n))
		return resp.Continue
	}
	w.Array(len(args))
	for _, a := range args {
		w.Bulk(a)
	}
	return resp.Continue
}

// wire returns the request for a command.
func wire(args ...string) string {
	words := make([]any, len(args))
	for i, a := range args {
		words[i] = a
	}
	return string(resptest.Command(words...))
}

// echoed returns the reply of echo to a command.
func echoed(args ...string) string { return wire(args...) }
