package cluster

import (
	"fmt"
	"math/rand/v2"
	"net"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"cellserver/resp/resptest"

	"github.com/stretchr/testify/require"
)

const (
	writers  = 8  // clients with counters of their own
	counters = 10 // of each client
	limits   = 20 // that all clients share
	most     = 50 // what a limit admits: its burst and one
)

// load is clients that write until they are stopped.
type load struct {
	p        *processes
	stopped  atomic.Bool
	working  sync.WaitGroup
	clients  []*client
	admitted [limits]atomic.Int64
	done     atomic.Int64 // commands with a reply
}

// client is one client of a cluster. It follows MOVED, and asks another node after an error.
type client struct {
	load    *load
	name    int
	rand    *rand.Rand
	nc      net.Conn // nil: not connected
	addr    string
	acked   [counters]int64
	unknown [counters]int64
	wrong   []string
	longest time.Duration // without a reply
}

// begin starts the clients.
func begin(p *processes, seed uint64) *load {
	l := &load{p: p}
	for i := range writers {
		c := &client{load: l, name: i, rand: rand.New(rand.NewPCG(seed, uint64(i))), addr: p.nodes[i%len(p.nodes)].addr()}
		l.clients = append(l.clients, c)
		l.working.Go(c.run)
	}
	return l
}

// end stops the clients, and checks what the cluster has stored.
func (l *load) end(t *testing.T) {
	t.Helper()
	l.stopped.Store(true)
	l.working.Wait()
	l.p.requireEqual()
	longest := time.Duration(0)
	for _, c := range l.clients {
		require.Empty(t, c.wrong)
		longest = max(longest, c.longest)
		for k := range counters {
			var stored int64
			if text, exists := l.p.stored(c.counter(k)).(string); exists {
				var err error
				stored, err = strconv.ParseInt(text, 10, 64)
				require.NoError(t, err)
			}
			require.GreaterOrEqual(t, stored, c.acked[k], "acknowledged increments of %s are lost", c.counter(k))
			require.LessOrEqual(t, stored, c.acked[k]+c.unknown[k], "%s has more increments than were sent", c.counter(k))
		}
	}
	for i := range l.admitted {
		require.LessOrEqual(t, l.admitted[i].Load(), int64(most), "limit %d admitted too much", i)
	}
	require.Positive(t, l.done.Load())
	t.Logf("%d replies; the longest time of a client without one: %s", l.done.Load(), longest)
}

func (c *client) counter(k int) string { return fmt.Sprintf("counter:%d:%d", c.name, k) }

func (c *client) run() {
	last := time.Now()
	for !c.load.stopped.Load() {
		var ok bool
		if c.rand.IntN(4) == 0 {
			ok = c.throttle()
		} else {
			ok = c.increment(c.rand.IntN(counters))
		}
		if ok {
			c.load.done.Add(1)
			c.longest = max(c.longest, time.Since(last))
			last = time.Now()
		}
	}
	c.drop()
}

// increment sends INCR. Nobody else changes the counter, so the reply must fit what this client knows.
func (c *client) increment(k int) bool {
	reply, sent := c.send("INCR", c.counter(k))
	n, ok := reply.(int64)
	switch {
	case ok && (n <= c.acked[k] || n > c.acked[k]+c.unknown[k]+1):
		c.complain("INCR %s replied %d after %d acknowledged and %d unknown ones", c.counter(k), n, c.acked[k], c.unknown[k])
	case ok:
		c.acked[k] = n // with unknown ones; the others may still run
		return true
	case sent:
		c.unknown[k]++
	}
	return false
}

// throttle asks a limit that never refills during the test.
func (c *client) throttle() bool {
	i := c.rand.IntN(limits)
	reply, _ := c.send("CL.THROTTLE", fmt.Sprint("limit:", i), most-1, 1, 1_000_000)
	values, ok := reply.([]any)
	if ok && values[0] == int64(0) {
		c.load.admitted[i].Add(1)
	}
	return ok
}

// send sends a command and returns its reply. Without a reply, sent says whether the command may have run.
func (c *client) send(args ...any) (reply any, sent bool) {
	if c.nc == nil {
		var err error
		if c.nc, err = net.DialTimeout("tcp", c.addr, answer); err != nil {
			c.elsewhere()
			return nil, false
		}
	}
	reply, err := exchange(c.load.p.t, c.nc, args...)
	if err != nil {
		c.drop()
		c.elsewhere()
		return nil, true
	}
	if text, failed := reply.(resptest.Error); failed {
		c.failed(string(text))
		return nil, false
	}
	return reply, true
}

// failed follows MOVED, and waits a little after other errors of a cluster. All others are wrong.
func (c *client) failed(text string) {
	word, rest, _ := strings.Cut(text, " ")
	switch word {
	case "MOVED":
		c.drop()
		_, c.addr, _ = strings.Cut(rest, " ")
	case "CLUSTERDOWN", "LOADING", "MISCONF":
		c.drop()
		c.elsewhere()
	default:
		c.complain("an error that is not documented: %s", text)
	}
}

// elsewhere chooses another node.
func (c *client) elsewhere() {
	time.Sleep(20 * time.Millisecond)
	c.addr = c.load.p.nodes[c.rand.IntN(len(c.load.p.nodes))].addr()
}

func (c *client) drop() {
	if c.nc != nil {
		_ = c.nc.Close()
		c.nc = nil
	}
}

func (c *client) complain(format string, args ...any) {
	if len(c.wrong) < 5 {
		c.wrong = append(c.wrong, fmt.Sprintf(format, args...))
	}
}
