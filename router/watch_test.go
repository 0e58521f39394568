package router

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

func TestLeaderIn(t *testing.T) {
	const slots = "*1\r\n*4\r\n:0\r\n:16383\r\n*4\r\n$9\r\n127.0.0.1\r\n:7001\r\n$2\r\nid\r\n*0\r\n*4\r\n$9\r\n127.0.0.1\r\n:7002\r\n$2\r\nix\r\n*0\r\n"
	address, ok := leaderIn([]byte(slots))
	require.True(t, ok)
	require.Equal(t, "127.0.0.1:7001", address)
	for _, other := range []string{"*0\r\n", "+PONG\r\n", "-ERR This instance has cluster support disabled\r\n", "$3\r\na\r\n\r\n"} {
		_, ok := leaderIn([]byte(other))
		require.False(t, ok, other)
	}
}

// TestLead follows the address in MOVED, and takes the next address of the list if a node is away.
func TestLead(t *testing.T) {
	h := New(Options{Addresses: []string{"a:1", "b:2", "c:3"}})
	require.Equal(t, "a:1", h.Leader())
	r := &Request{}
	require.True(t, h.follows(r, []byte("-MOVED 5 d:4\r\n")))
	require.Equal(t, "d:4", h.Leader())
	require.False(t, h.follows(r, []byte("-MOVED 5 a:1\r\n")), "once only")
	h.away("b:2")
	require.Equal(t, "d:4", h.Leader(), "another node than the leader")
	h.away("d:4")
	require.Equal(t, "a:1", h.Leader())
	h.away("a:1")
	require.Equal(t, "b:2", h.Leader())
	require.True(t, h.Lead("?:9"))
	require.Equal(t, "b:9", h.Leader(), "the node that was asked, if it does not know its own address")
	require.False(t, h.Lead("nonsense"))
	require.False(t, h.follows(&Request{}, []byte("-MOVED 5\r\n")))
}

// TestPinsEndWithTheLeader: a connection of one client ends when another node leads.
func TestPinsEndWithTheLeader(t *testing.T) {
	var asked []string
	var dialed atomic.Int64
	h := New(Options{
		Addresses: []string{"a:1", "b:2"}, Clock: func() int64 { return 0 },
		Timeout: func() time.Duration { return time.Second },
		Dial: func(_ context.Context, address string) (net.Conn, error) {
			asked = append(asked, address)
			defer dialed.Add(1)
			if address == "b:2" {
				return nil, errors.New("refused")
			}
			conn, _ := net.Pipe()
			return conn, nil
		},
	})
	defer h.Close()
	u, err := h.User(Identity{})
	require.NoError(t, err)
	lost := make(chan error, 2)
	messages := Whole(func(_ []byte, err error) { lost <- err })
	u.Own(2, "", messages, nil)
	require.Eventually(t, func() bool { return dialed.Load() == 1 }, time.Minute, time.Millisecond)
	h.Lead("a:1")
	require.NoError(t, h.leader.led.Err(), "the same leader")
	h.Lead("b:2")
	require.Error(t, <-lost)
	u.Own(2, "", messages, nil)
	require.ErrorAs(t, <-lost, &Unsent{})
	require.Equal(t, "a:1", h.Leader(), "the next node is asked")
	require.Equal(t, []string{"a:1", "b:2"}, asked)
}

// TestHubIsLost: who waits for the hub gets an error in words, and the log says that the hub is lost.
func TestHubIsLost(t *testing.T) {
	const silent = "it was silent for too long"
	for _, story := range []struct {
		name, want string
		closes     bool
	}{{"", silent, false}, {"a name that the hub does not read", silent, false}, {"", "the connection has ended", true}} {
		synctest.Test(t, func(t *testing.T) {
			var log bytes.Buffer
			h := New(Options{
				Addresses: []string{"a:1"}, Name: story.name, Log: slog.New(slog.NewTextHandler(&log, nil)),
				Clock: func() int64 { return time.Now().UnixNano() }, Timeout: func() time.Duration { return time.Millisecond },
				Dial: func(context.Context, string) (net.Conn, error) {
					conn, hub := net.Pipe()
					if story.closes {
						go func() { _, _ = hub.Read(make([]byte, 1024)); hub.Close() }()
					}
					return conn, nil
				},
			})
			u, err := h.User(Identity{})
			require.NoError(t, err)
			h.Watch(u, nil)
			lost := make(chan error, 1)
			u.Send(0, 2, &Request{Command: AppendCommand(nil, "GET", "a"), Sink: Whole(func(_ []byte, err error) { lost <- err })})
			require.EqualError(t, <-lost, story.want)
			synctest.Wait()
			h.Close()
			require.Contains(t, log.String(), "the hub does not answer in time")
			require.Contains(t, log.String(), story.want)
		})
	}
}

// lateConn writes after a while.
type lateConn struct {
	net.Conn
	late *atomic.Int64
}

func (c lateConn) Write(p []byte) (int, error) {
	time.Sleep(time.Duration(c.late.Load()))
	return c.Conn.Write(p)
}

// TestHubIsLate: the log says once that the answers of the hub are late, and once that they are not, also while
// some are late and some are not.
func TestHubIsLate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var log bytes.Buffer
		var late, count, asked atomic.Int64
		h := New(Options{
			Addresses: []string{"a:1"}, Log: slog.New(slog.NewTextHandler(&log, nil)),
			Clock: func() int64 { return time.Now().UnixNano() }, Timeout: func() time.Duration { return 100 * time.Millisecond },
			Dial: func(context.Context, string) (net.Conn, error) {
				conn, hub := net.Pipe()
				go answerCounts(lateConn{hub, &late}, &count, &asked)
				return conn, nil
			},
		})
		u, err := h.User(Identity{})
		require.NoError(t, err)
		h.Watch(u, nil)
		alternate := func() {
			for i := range 40 {
				late.Store(int64(50+100*(i%2)) * int64(time.Millisecond))
				time.Sleep(time.Second / 2)
			}
		}
		alternate()
		synctest.Wait()
		require.Empty(t, log.String())
		late.Store(int64(600 * time.Millisecond))
		time.Sleep(10 * time.Second)
		upWhileLate, inTime := h.Up(), h.InTime()
		alternate()
		require.True(t, h.Up())
		late.Store(0)
		time.Sleep(10 * time.Second)
		require.True(t, h.InTime())
		h.Close()
		require.True(t, upWhileLate)
		require.False(t, inTime, "late answers, as the log says")
		require.Equal(t, 1, strings.Count(log.String(), errLate.Error()), log.String())
		require.Equal(t, 1, strings.Count(log.String(), "the hub answers again"), log.String())
	})
}

// TestSidecarsAreCounted: the number of sidecars is a second old at most, and with many sidecars ten.
func TestSidecarsAreCounted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var count, asked atomic.Int64
		h := New(Options{
			Addresses: []string{"a:1"}, Log: slog.New(slog.DiscardHandler),
			Clock: func() int64 { return time.Now().UnixNano() }, Timeout: func() time.Duration { return time.Second },
			Dial: func(context.Context, string) (net.Conn, error) {
				conn, hub := net.Pipe()
				go answerCounts(hub, &count, &asked)
				return conn, nil
			},
		})
		defer h.Close()
		u, err := h.User(Identity{})
		require.NoError(t, err)
		h.Watch(u, nil)
		for _, n := range []int64{1, 2, 9, 3, 500} {
			count.Store(n)
			time.Sleep(time.Second + watchEvery)
			require.Equal(t, n, h.Sidecars())
		}
		asked.Store(0)
		count.Store(7)
		time.Sleep(8 * time.Second)
		require.Zero(t, asked.Load())
		require.EqualValues(t, 500, h.Sidecars())
		time.Sleep(3 * time.Second)
		require.EqualValues(t, 7, h.Sidecars())
	})
}

// answerCounts is a hub that says how many sidecars it has.
func answerCounts(hub net.Conn, count, asked *atomic.Int64) {
	buf := make([]byte, 1024)
	for {
		n, err := hub.Read(buf)
		if err != nil {
			return
		}
		reply := strings.Repeat("+OK\r\n", bytes.Count(buf[:n], []byte("CLIENT\r\n")))
		if bytes.Contains(buf[:n], []byte("INFO")) && !bytes.Contains(buf[:n], []byte("SETINFO\r\n")) {
			asked.Add(1)
			text := fmt.Sprintf("connected_sidecars:%d\r\n", count.Load())
			reply += fmt.Sprintf("$%d\r\n%s\r\n", len(text), text)
		} else if bytes.Contains(buf[:n], []byte("PING")) {
			reply += "+PONG\r\n"
		}
		if _, err := hub.Write([]byte(reply)); err != nil {
			return
		}
	}
}

// TestAddressesOfScripts: a script names no unknown leader. Then Watch asks a node who leads, also if there is one address.
func TestAddressesOfScripts(t *testing.T) {
	for name, lane := range map[string]int{"script": RelayLane(0, Scripts), "brief": FirstRelay, "long": RelayLane(3, Long)} {
		for _, address := range []string{"c:1", ":2", "?:2", "b:1"} {
			synctest.Test(t, func(t *testing.T) {
				s := newScene(t)
				s.user.Send(lane, 2, &Request{Command: []byte("1\r\n"), Sink: Whole(func([]byte, error) {})})
				synctest.Wait()
				s.reply(t, "a", "-MOVED 1 "+address)
				follows := address == "b:1" || name != "script"
				require.Equal(t, follows, s.hub.Leader() != "a:1", name, address)
				require.Equal(t, !follows, s.hub.unsure.Load(), name, address)
			})
		}
	}
	synctest.Test(t, func(t *testing.T) {
		s := newScene(t)
		s.hub.o.Addresses, s.hub.user = s.hub.o.Addresses[:1], s.user
		ask := func(reply string) []string {
			go func() { _ = s.hub.probe(false) }()
			synctest.Wait()
			s.reply(t, s.hub.Leader()[:1], reply)
			return s.heard()
		}
		ask("+OK\r\n+OK")
		s.reply(t, "a", "+PONG")
		require.Contains(t, ask("+PONG"), "a PING")
		s.hub.unsure.Store(true)
		require.Contains(t, ask("*1\r\n*3\r\n:0\r\n:16383\r\n*3\r\n$1\r\nc\r\n:1\r\n$2\r\nid"), "a CLUSTER")
		require.Equal(t, "c:1", s.hub.Leader())
		require.Contains(t, ask("+OK\r\n+OK"), "c PING")
	})
}
