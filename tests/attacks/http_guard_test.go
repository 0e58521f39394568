package attacks

import (
	"io"
	"net"
	"strings"
	"testing"
	"time"

	"cellserver/resp/resptest"

	"github.com/stretchr/testify/require"
)

// httpRequests are what a browser sends for a web page, with commands as the body, and other
// forms of the two words that Redis refuses.
var httpRequests = []string{
	"POST / HTTP/1.1\r\nHost: localhost:6379\r\nContent-Type: text/plain\r\n\r\nFLUSHALL\r\n",
	"PUT / HTTP/1.1\r\nhost: localhost:6379\r\n\r\nFLUSHALL\r\n",
	"GET / HTTP/1.1\r\nHOST: localhost:6379\r\n\r\nFLUSHALL\r\n",
	"PING\r\npost\r\nFLUSHALL\r\n",
	"MULTI\r\nPING\r\nPOST /\r\nFLUSHALL\r\nEXEC\r\n",
	"*1\r\n$5\r\nhOsT:\r\n*1\r\n$8\r\nFLUSHALL\r\n",
}

// TestHTTPGuard sends HTTP requests whose body is a command. Before, the server answered each
// line with an error and ran the body: a web page could FLUSHALL a server on the visitor's
// machine. Now POST and Host: close the connection as in Redis: nothing behind them runs, the
// client reads nothing, and the log has one line a minute.
func TestHTTPGuard(t *testing.T) {
	for name, s := range map[string]*server{"cellserver": start(t), "redis": startRedis(t)} {
		t.Run(name, func(t *testing.T) {
			s.guard(1 << 30)
			c := s.dial()
			c.Do("SET", "k", "v")
			for _, request := range httpRequests {
				nc := s.connect()
				_, err := nc.Write([]byte(request))
				require.NoError(t, err)
				require.Empty(t, readAll(t, nc), request)
			}
			require.Equal(t, "v", c.Do("GET", "k"))
			attacks := func() int { return strings.Count(strings.ToUpper(s.Printed()), "SECURITY ATTACK") }
			require.Eventually(t, func() bool { return attacks() > 0 }, patience, time.Millisecond)
			require.Equal(t, 1, attacks())
			require.IsType(t, resptest.Error(""), c.Do("POSTS"))
			s.alive()
		})
	}
}

// readAll returns what a server sends until it closes the connection. A reset ends it too: the
// server has not read all of the request.
func readAll(t testing.TB, nc net.Conn) string {
	require.NoError(t, nc.SetReadDeadline(time.Now().Add(patience)))
	all, err := io.ReadAll(nc)
	if err != nil {
		require.ErrorContains(t, err, "connection reset")
	}
	return string(all)
}
