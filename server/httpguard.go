package server

import (
	"bytes"
	"sync/atomic"
)

// httpGuard ends connections that speak HTTP. A web page can make a browser POST to a local server. Without
// the guard, the server would read each line of the request as a command, and would run the lines of the
// body. Redis has the same guard (securityWarningCommand in its networking.c).
//
// The zero httpGuard is ready to use, and safe for concurrent use.
type httpGuard struct {
	warned atomic.Int64 // Unix nanoseconds of the last warning; 0: never
}

// httpWarnEvery is the least time between two warnings, in nanoseconds: an attacker must not fill the log.
const httpWarnEvery = 60_000_000_000

// isHTTP reports whether an unknown command is the first word of a POST request, or of the header that every
// HTTP/1.1 request has.
func isHTTP(name []byte) bool {
	return bytes.EqualFold(name, []byte("POST")) || bytes.EqualFold(name, []byte("Host:"))
}

// mayWarn reports whether the last warning is at least httpWarnEvery ago. now is in Unix
// nanoseconds.
func (g *httpGuard) mayWarn(now int64) bool {
	last := g.warned.Load()
	since := now - last
	return (last == 0 || since > httpWarnEvery || since < -httpWarnEvery) && g.warned.CompareAndSwap(last, now)
}
