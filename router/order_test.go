package router

import (
	"bufio"
	"context"
	"log/slog"
	"net"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

// scene is a Hub of two nodes, and what they got. A test replies for them.
type scene struct {
	hub   *Hub
	user  *User
	got   chan string // "a GET 1": a node, and a request
	nodes map[string]net.Conn
	ends  []string      // of requests, in their order
	slow  time.Duration // how long a connection takes to open
}

func newScene(t *testing.T) *scene {
	s := &scene{got: make(chan string, 100), nodes: map[string]net.Conn{}}
	s.hub = New(Options{
		Addresses: []string{"a:1", "b:1"}, Log: slog.New(slog.DiscardHandler),
		Clock: func() int64 { return time.Now().UnixNano() }, Timeout: func() time.Duration { return time.Second },
		Dial: func(_ context.Context, address string) (net.Conn, error) {
			time.Sleep(s.slow)
			conn, node := net.Pipe()
			name := strings.TrimSuffix(address, ":1")
			s.nodes[name] = node
			go s.hear(name, node)
			return conn, nil
		},
	})
	t.Cleanup(s.hub.Close)
	u, err := s.hub.User(Identity{})
	require.NoError(t, err)
	s.user = u
	return s
}

// hear notes the requests of a connection. Each is one line.
func (s *scene) hear(name string, conn net.Conn) {
	for lines := bufio.NewScanner(conn); lines.Scan(); {
		s.got <- name + " " + lines.Text()
	}
}

// send sends requests.
func (s *scene) send(words ...string) {
	for _, word := range words {
		s.user.Send(FirstRelay, 2, &Request{Command: []byte(word + "\r\n"), Sink: Whole(func(reply []byte, err error) {
			if err != nil {
				reply = []byte(err.Error())
			}
			s.ends = append(s.ends, word+" "+strings.TrimSpace(string(reply)))
		})})
	}
	synctest.Wait()
}

// reply replies for a node.
func (s *scene) reply(t *testing.T, name, reply string) {
	_, err := s.nodes[name].Write([]byte(reply + "\r\n"))
	require.NoError(t, err)
	synctest.Wait()
}

// heard returns what the nodes have got since the last call.
func (s *scene) heard() (all []string) {
	for len(s.got) > 0 {
		all = append(all, <-s.got)
	}
	return all
}

// TestOrderWhileTheLeaderChanges: no request overtakes an earlier one of its lane, whoever says that another node leads.
func TestOrderWhileTheLeaderChanges(t *testing.T) {
	const moved = "-MOVED 1 b:1"
	for name, change := range map[string]func(t *testing.T, s *scene){
		"a reply":       func(t *testing.T, s *scene) { s.reply(t, "a", moved) },
		"somebody else": func(t *testing.T, s *scene) { s.hub.Lead("b:1"); s.send("3"); s.reply(t, "a", moved) },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := newScene(t)
				s.send("1", "2")
				require.Equal(t, []string{"a 1", "a 2"}, s.heard())
				change(t, s)
				s.send("4")
				require.Empty(t, s.heard(), "node a may still do 2")
				s.reply(t, "a", moved)
				want := []string{"b 1", "b 2", "b 3", "b 4"}
				if name == "a reply" {
					want = []string{"b 1", "b 2", "b 4"}
				}
				require.Equal(t, want, s.heard())
				s.send("5")
				require.Equal(t, []string{"b 5"}, s.heard())
				require.Empty(t, s.ends)
				s.reply(t, "b", "+OK")
				require.Equal(t, []string{"1 +OK"}, s.ends)
			})
		})
	}
}

// TestWaitForAFormerLeaderEnds: a former leader that stays silent, or ends, keeps no request from the next one.
func TestWaitForAFormerLeaderEnds(t *testing.T) {
	for name, end := range map[string]func(s *scene){
		"it was silent for too long": func(*scene) { time.Sleep(1100 * time.Millisecond) },
		"the connection has ended":   func(s *scene) { s.nodes["a"].Close() },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := newScene(t)
				s.send("1", "2")
				s.reply(t, "a", "-MOVED 1 b:1")
				s.send("3")
				for _, piece := range []string{"*2", "+OK"} { // of the reply to 2
					time.Sleep(900 * time.Millisecond)
					s.reply(t, "a", piece)
				}
				require.Equal(t, []string{"a 1", "a 2"}, s.heard())
				end(s)
				synctest.Wait()
				require.Equal(t, []string{"b 1", "b 3"}, s.heard())
				require.Equal(t, []string{"2 " + name}, s.ends)
				s.reply(t, "b", "+OK\r\n+OK")
				require.Equal(t, []string{"2 " + name, "1 +OK", "3 +OK"}, s.ends)
			})
		})
	}
}

// TestLeaderThatComesBack: requests wait for the replies of a node also if it leads again meanwhile.
func TestLeaderThatComesBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newScene(t)
		s.send("1")
		s.hub.Lead("b:1")
		s.send("2")
		s.hub.Lead("a:1")
		s.send("3")
		time.Sleep(time.Minute)
		require.Equal(t, []string{"a 1"}, s.heard())
		s.reply(t, "a", "+OK")
		require.Equal(t, []string{"a 2", "a 3"}, s.heard())
		s.reply(t, "a", "+OK\r\n+OK")
		require.Equal(t, []string{"1 +OK", "2 +OK", "3 +OK"}, s.ends)
		time.Sleep(time.Minute)
		s.send("4")
		require.Equal(t, []string{"a 4"}, s.heard(), "the connection stays")
	})
}

// TestLeaderChangesWhileAConnectionOpens: a connection that opens slowly loses no request.
func TestLeaderChangesWhileAConnectionOpens(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newScene(t)
		s.slow = 4500 * time.Millisecond
		s.send("1")
		s.hub.Lead("b:1")
		s.send("2")
		time.Sleep(s.slow)
		synctest.Wait()
		require.Equal(t, []string{"a 1"}, s.heard())
		s.slow = 0
		s.reply(t, "a", "-MOVED 1 b:1")
		require.Equal(t, []string{"b 1", "b 2"}, s.heard())
		require.Empty(t, s.ends)
	})
}
