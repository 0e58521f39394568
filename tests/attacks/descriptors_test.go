package attacks

import (
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"cellserver/internal/porttest"
	"cellserver/resp/resptest"

	"github.com/stretchr/testify/require"
)

// TestDescriptors fills a server with clients up to its limit of open files, and connects others
// all the time. The clients ask for replies that exceed their socket's buffer, so that they move
// between an event loop and a worker. Before, refused connections stayed open for 200 ms, uncounted,
// and a move needed a second descriptor: 116 of 166 clients were dropped, and rewrites of the log
// failed (Redis: 0). Now a refused connection is closed at once, and a move needs no descriptor.
func TestDescriptors(t *testing.T) {
	limited := filepath.Join(t.TempDir(), "limited")
	require.NoError(t, os.WriteFile(limited, fmt.Appendf(nil, "#!/bin/sh\nulimit -n 200\nexec %s \"$@\"\n", binary), 0o755))
	s := launch(t, limited, t.TempDir(), []string{"--appendonly", "yes", "--metrics-port", fmt.Sprint(porttest.Free(t))})
	s.guard(1 << 30)
	var most int
	_, err := fmt.Sscan(s.dial().Do("CONFIG", "GET", "maxclients").([]any)[1].(string), &most)
	require.NoError(t, err)
	require.InDelta(t, 168, most, 4, "the limit but 32 files for the server")
	var clients []*resptest.Client
	for len(clients) < most-2 {
		c := s.dial()
		require.Equal(t, resptest.Simple("PONG"), c.Do("PING"))
		clients = append(clients, c)
	}
	require.IsType(t, int64(0), clients[0].Do("SETRANGE", "big", 6<<20, "x"))

	var stop atomic.Bool
	var attack sync.WaitGroup
	for range 4 {
		attack.Go(func() { crowd(s, &stop) })
	}
	attack.Go(func() { leave(s, &stop) })
	var lost atomic.Int64
	for range rounds(1, 3) {
		rewritten := rewrites(clients[0])
		var moving sync.WaitGroup
		for _, c := range clients[1:rounds(41, len(clients))] {
			moving.Go(func() {
				c.Send("GETRANGE", "big", 0, -1)
				if v, err := c.TryRecv(); err != nil || len(v.(string)) != 6<<20+1 {
					lost.Add(1)
				}
			})
		}
		moving.Wait()
		require.Zero(t, lost.Load(), "admitted clients that got no reply")
		require.Eventually(t, func() bool { return rewrites(clients[0]) > rewritten }, patience, 20*time.Millisecond, "%s", s.Printed())
	}
	stop.Store(true)
	attack.Wait()
	for _, c := range clients {
		require.Equal(t, resptest.Simple("PONG"), c.Do("PING"))
	}
	require.Equal(t, "ok", info(clients[0], "aof_last_bgrewrite_status"))
	require.NotContains(t, s.Printed(), "too many open files")
}

// crowd connects over and over, and never closes first.
func crowd(s *server, stop *atomic.Bool) {
	for !stop.Load() {
		if nc, err := net.Dial("tcp", s.addr); err == nil {
			nc.SetDeadline(time.Now().Add(time.Second))
			io.ReadAll(nc) // the refusal
			time.AfterFunc(300*time.Millisecond, func() { nc.Close() })
		}
	}
}

// leave makes the server close connections, and does not close them itself.
func leave(s *server, stop *atomic.Bool) {
	for !stop.Load() {
		if nc, err := net.Dial("tcp", s.addr); err == nil {
			nc.Write([]byte("QUIT\r\n"))
			time.AfterFunc(300*time.Millisecond, func() { nc.Close() })
		}
		time.Sleep(time.Millisecond) // a thousand a second
	}
}

// rewrites begins a rewrite of the log, and returns how many have ended well.
func rewrites(c *resptest.Client) (n int) {
	c.Do("BGREWRITEAOF")
	fmt.Sscan(info(c, "aof_rewrites"), &n)
	return n
}

// info returns a field of INFO by a client that exists: there may be no place for another.
func info(c *resptest.Client, field string) string {
	for line := range strings.SplitSeq(c.Do("INFO", "everything").(string), "\r\n") {
		if name, value, ok := strings.Cut(line, ":"); ok && name == field {
			return value
		}
	}
	return ""
}
