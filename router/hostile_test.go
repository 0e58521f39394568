package router

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"net"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

// TestHostileHubs asks hubs that do not keep to RESP. Each request has one end, and the connections and the memory are bounded.
func TestHostileHubs(t *testing.T) {
	greeting := []string{"+OK\r\n+OK\r\n"}
	mebibyte := strings.Repeat("x", 1<<20)
	for _, hub := range []struct {
		name    string
		greets  []string // the replies to the first words
		replies []string // to the request
		want    string   // the reply, or the error
	}{
		{"silence", nil, nil, "it was silent for too long"},
		{"a greeting without an end", []string{"$1099511627776\r\n", mebibyte}, nil, errFrame.Error()},
		{"a greeting of many lines", []string{"*1000000\r\n", strings.Repeat("+x\r\n", 1<<18)}, nil, errFrame.Error()},
		{"no room", []string{"+OK\r\n" + tooManyClients, ""}, nil, "ERR max number of clients reached"},
		{"protected mode", []string{"+OK\r\n-DENIED Redis is\r\n", ""}, nil, "DENIED Redis is"},
		{"a message nobody asked for", greeting, []string{">2\r\n+a\r\n+b\r\n"}, errFrame.Error()},
		{"a length that no string has", greeting, []string{"$99999999999999\r\n"}, errFrame.Error()},
		{"a line that ends with LF", greeting, []string{"+OK\n"}, errFrame.Error()},
		{"a string that is longer than it says", greeting, []string{"$1\r\nabc\r\n"}, errFrame.Error()},
		{"arrays in arrays", greeting, []string{strings.Repeat("*1000000000000\r\n", 4)}, errFrame.Error()},
		{"attributes of attributes", greeting, []string{strings.Repeat("|1000000000000\r\n", 4)}, errFrame.Error()},
		{"another protocol", greeting, []string{"HTTP/1.1 400 Bad Request\r\n\r\n"}, errFrame.Error()},
		{"a number without an end", greeting, []string{":" + mebibyte}, errFrame.Error()},
		{"the end in the middle", greeting, []string{"$5\r\nab", ""}, "the connection has ended"},
		{"a reply of the wrong type", greeting, []string{"*0\r\n"}, "*0\r\n"},
		{"one byte at a time", strings.Split(greeting[0], ""), strings.Split("*2\r\n$1\r\na\r\n:7\r\n", ""), "*2\r\n$1\r\na\r\n:7\r\n"},
	} {
		t.Run(hub.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				h := newHostile(func(conn net.Conn) { speak(conn, hub.greets, hub.replies) })
				u, err := h.User(Identity{Name: "ann", Password: "a"})
				require.NoError(t, err)
				before := allocated()
				got := make(chan string, 2)
				u.Send(FirstRelay, 2, &Request{Command: AppendCommand(nil, "GET", "a"), Sink: Whole(func(reply []byte, err error) {
					if err != nil {
						reply = []byte(err.Error())
					}
					got <- string(reply)
				})})
				require.Equal(t, hub.want, <-got)
				h.Close()
				require.Empty(t, got)
				require.Less(t, allocated()-before, uint64(8<<20))
			})
		})
	}
}

// allocated returns how many bytes were ever allocated.
func allocated() uint64 {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.TotalAlloc
}

// newHostile returns a Hub whose nodes a function serves.
func newHostile(serve func(conn net.Conn)) *Hub {
	return New(Options{
		Addresses: []string{"a:1"}, Name: "side", Log: slog.New(slog.DiscardHandler),
		Clock: func() int64 { return time.Now().UnixNano() }, Timeout: func() time.Duration { return time.Second },
		Dial: func(context.Context, string) (net.Conn, error) {
			conn, hub := net.Pipe()
			go func() {
				defer hub.Close()
				serve(hub)
			}()
			return conn, nil
		},
	})
}

// speak sends the pieces of a greeting and of a reply, each after it has got something. An empty piece closes the connection.
func speak(conn net.Conn, pieces ...[]string) {
	for _, all := range pieces {
		if _, err := conn.Read(make([]byte, 4<<10)); err != nil {
			return
		}
		for _, piece := range all {
			if _, err := conn.Write([]byte(piece)); err != nil || piece == "" && len(all) > 1 {
				return
			}
		}
	}
	_, _ = conn.Read(make([]byte, 4<<10)) // nothing more is said
}

// TestManyLeaders: nodes that all name another leader make no loop, and keep no connections.
func TestManyLeaders(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var open, asked atomic.Int64
		h := newHostile(func(conn net.Conn) {
			open.Add(1)
			defer open.Add(-1)
			for space := make([]byte, 4<<10); ; {
				n, err := conn.Read(space)
				if err != nil {
					return
				}
				reply := bytes.Repeat([]byte("+OK\r\n"), bytes.Count(space[:n], []byte("AUTH"))+bytes.Count(space[:n], []byte("CLIENT")))
				if bytes.Contains(space[:n], []byte("GET")) {
					reply = fmt.Appendf(nil, "-MOVED 1 node%d:1\r\n", asked.Add(1))
				}
				if _, err := conn.Write(reply); err != nil {
					return
				}
			}
		})
		u, err := h.User(Identity{Name: "ann", Password: "a"})
		require.NoError(t, err)
		for range 1000 {
			got := make(chan error, 2)
			u.Send(FirstRelay, 2, &Request{Command: AppendCommand(nil, "GET", "a"), Sink: Whole(func(_ []byte, err error) { got <- err })})
			require.ErrorIs(t, <-got, errNoLeader)
		}
		synctest.Wait()
		require.LessOrEqual(t, asked.Load(), int64(2000))
		require.LessOrEqual(t, open.Load(), int64(2))
		require.LessOrEqual(t, len(u.links), 2)
		h.Close()
	})
}
