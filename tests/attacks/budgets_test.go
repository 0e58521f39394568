package attacks

import (
	"bufio"
	"fmt"
	"math/rand/v2"
	"net"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"cellserver/internal/randtest"
	"cellserver/resp/resptest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestReservationsSurviveKills kills a server while 64 clients reserve and settle over three scopes. A client repeats
// every request that got no answer, with the same id, at the next server. Each reservation then counts exactly once,
// with its real cost. A reservation with RELEASE that no client settles is given back at its end.
func TestReservationsSurviveKills(t *testing.T) {
	s := start(t, "--appendonly", "yes", "--appendfsync", "always")
	require.Equal(t, resptest.Simple("OK"), s.dial().Do("CL.RULE", "SET", "llm", "SCOPE", "org", "CL.WINDOW", 1000000000, 86400,
		"AND", "SCOPE", "team", "CL.LOG", 1000000000, 86400, "RESOLUTION", 60, "AND", "SCOPE", "user", "CL.SLIDING", 999999999, 999999999)) // no day ends it
	var addr atomic.Pointer[string]
	addr.Store(&s.addr)
	const teams = 8 // a team's log bounds how many releases wait
	var total, repeated, kills atomic.Int64
	var clients sync.WaitGroup
	for n := range 64 {
		team := fmt.Sprint("t", n%teams)
		clients.Go(func() {
			c := &stubborn{addr: &addr, repeated: &repeated}
			for i := 0; i < rounds(15, 200) || i < 200 && kills.Load() < 3; i++ {
				id, cost := fmt.Sprint(n, "-", i), int64(i%17)
				if i%5 == 4 { // nobody settles it
					c.do("CL.RESERVE", "llm", "acme", team, "ann", 9, id, "0.3", "RELEASE")
					continue
				}
				c.do(append([]any{"CL.RESERVE", "llm", "acme", team, "ann", 9, id, 3600}, []any{"RELEASE"}[:i%2]...)...)
				c.do("CL.SETTLE", "llm", "acme", team, "ann", id, cost)
				total.Add(cost)
			}
		})
	}
	ended := make(chan struct{})
	go func() { clients.Wait(); close(ended) }()
	for r := rand.New(randtest.Source(t)); ; {
		select {
		case <-ended:
			used := func(keys ...any) (all [3]int64) {
				limits := s.dial().Do(append(append([]any{"CL.CHECK", "llm"}, keys...), 0, "EXPLAIN")...).([]any)[7].([]any)
				for i := range all {
					all[i] = limits[i].([]any)[3].(int64) - limits[i].([]any)[4].(int64)
				}
				return all
			}
			require.EventuallyWithT(t, func(t *assert.CollectT) { // all is given back soon
				var got [3]int64
				for team := range teams {
					one := used("acme", fmt.Sprint("t", team), "ann")
					got = [3]int64{one[0], got[1] + one[1], one[2]}
				}
				require.Equal(t, [3]int64{total.Load(), total.Load(), total.Load()}, got)
			}, time.Minute, 50*time.Millisecond)
			require.Positive(t, repeated.Load(), "no request was lost, so the test shows nothing")
			return
		case <-time.After(time.Duration(r.IntN(60)) * time.Millisecond):
			require.NoError(t, s.Cmd.Process.Signal(syscall.SIGKILL))
			kills.Add(1)
			<-s.Done
			s = launch(t, binary, s.dir, []string{"--appendonly", "yes", "--appendfsync", "always"})
			addr.Store(&s.addr)
		}
	}
}

// stubborn is a client that repeats each request until a server answers.
type stubborn struct {
	addr     *atomic.Pointer[string]
	repeated *atomic.Int64
	conn     net.Conn
	in       *bufio.Reader
}

// do sends a request until it gets five integers.
func (c *stubborn) do(args ...any) {
	for !c.try(resptest.Command(args...)) {
		c.repeated.Add(1)
		time.Sleep(time.Millisecond)
	}
}

// try sends a request once, and reports whether five integers came back. Any other answer is a fault that panics.
func (c *stubborn) try(request []byte) bool {
	if c.conn == nil {
		conn, err := net.DialTimeout("tcp", *c.addr.Load(), time.Second)
		if err != nil {
			return false
		}
		c.conn, c.in = conn, bufio.NewReader(conn)
	}
	_, err := c.conn.Write(request)
	for line := 0; err == nil && line < 6; line++ {
		var text string
		if text, err = c.in.ReadString('\n'); err == nil && strings.HasPrefix(text, "-") {
			if !strings.HasPrefix(text, "-LOADING") {
				panic(text)
			}
			return false
		}
	}
	if err != nil {
		c.conn.Close()
		c.conn = nil
		return false
	}
	return true
}
