package cluster

import (
	"fmt"
	"maps"
	"net"
	"os/exec"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"cellserver/internal/porttest"
	"cellserver/internal/promisetest"
	"cellserver/resp/resptest"

	"github.com/stretchr/testify/require"
)

// beside starts sidecars of a cluster, and waits until they decide. On a network each of them has a namespace.
func (p *processes) beside(size int, more ...string) *processes {
	p.t.Helper()
	s := &processes{t: p.t, network: p.network, more: more}
	if p.network != nil {
		s.first = p.network.joined
	}
	s.command = func(i int) *exec.Cmd {
		n := s.nodes[i]
		args := []string{"--port", strconv.Itoa(n.port), "--bind", n.host, "--dir", n.dir, "--protected-mode", "no", "--upstream"}
		for _, hub := range p.nodes {
			args = append(args, hub.addr())
		}
		cmd := exec.Command(n.bin, append(args, s.more...)...)
		if s.network != nil {
			return s.network.command(s.first+i, cmd.Args)
		}
		return cmd
	}
	for i := range size {
		n := &node{bin: bin, host: "127.0.0.1", dir: p.t.TempDir()}
		if s.network != nil {
			n.host, n.port = s.network.address(s.network.join()), 6379
		} else {
			n.port = porttest.Free(p.t)
		}
		s.nodes = append(s.nodes, n)
		s.run(i)
	}
	p.t.Cleanup(s.end)
	for i := range s.nodes {
		s.await(i)
	}
	return s
}

// await waits until a sidecar passes commands on.
func (p *processes) await(i int) {
	p.t.Helper()
	p.eventually(fmt.Sprintf("the sidecar %d does not reach its hub", i), func() bool {
		reply, err := p.ask(i, "EXISTS", "nothing")
		return err == nil && reply == int64(0)
	})
}

// crowd is clients that ask sidecars, each one its own, until they are stopped.
type crowd struct {
	sidecars *processes
	command  []any
	begun    time.Time
	stopped  atomic.Bool
	working  sync.WaitGroup

	mu       sync.Mutex // guards the fields below
	admitted []promisetest.Action
	refused  int
	errors   map[string]int
}

// crowd starts clients of each sidecar. Each of them sends so many commands a second, if it can. They take turns.
func (p *processes) crowd(clients int, rate float64, command ...any) *crowd {
	c := &crowd{sidecars: p, command: command, begun: time.Now(), errors: map[string]int{}}
	every := time.Duration(float64(time.Second) / rate)
	all := clients * len(p.nodes)
	for i := range all {
		first := c.begun.Add(every * time.Duration(i) / time.Duration(all))
		c.working.Go(func() { c.ask(p.nodes[i%len(p.nodes)].addr(), first, every) })
	}
	return c
}

// ask sends the command again and again.
func (c *crowd) ask(addr string, next time.Time, every time.Duration) {
	var nc net.Conn
	for ; !c.stopped.Load(); next = next.Add(every) {
		if next = later(next, time.Now().Add(-time.Second)); time.Until(next) > 0 {
			time.Sleep(time.Until(next))
		}
		if nc == nil {
			var err error
			if nc, err = net.DialTimeout("tcp", addr, time.Second); err != nil {
				time.Sleep(20 * time.Millisecond)
				continue
			}
		}
		asked := time.Since(c.begun)
		reply, err := exchange(c.sidecars.t, nc, c.command...)
		if c.hear(asked, reply, err); err != nil {
			_ = nc.Close()
			nc = nil
		}
	}
	if nc != nil {
		_ = nc.Close()
	}
}

func later(a, b time.Time) time.Time {
	if a.Before(b) {
		return b
	}
	return a
}

// hear takes a reply.
func (c *crowd) hear(asked time.Duration, reply any, err error) {
	answered := time.Since(c.begun)
	c.mu.Lock()
	defer c.mu.Unlock()
	values, decided := reply.([]any)
	text, failed := reply.(resptest.Error)
	switch {
	case err != nil:
		c.errors["no reply"]++
	case decided && values[0] == int64(0):
		c.admitted = append(c.admitted, promisetest.Action{Asked: asked, Answered: answered})
	case decided:
		c.refused++
	case failed:
		c.errors[normal(string(text))]++
	}
}

// end stops the clients, and requires that the limit has kept its promise.
func (c *crowd) end(t *testing.T, promise promisetest.Promise) {
	t.Helper()
	c.stopped.Store(true)
	c.working.Wait()
	t.Log(c)
	require.NoError(t, promise(c.admitted))
	for text := range c.errors {
		require.Regexp(t, `^no reply|^CLUSTERDOWN|`+lostHub, text)
	}
}

// lostHub is how a sidecar refuses without its hub.
const lostHub = `does not answer`

// since returns how many actions were admitted from one time on to another.
func (c *crowd) between(from, to time.Duration) (n int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, a := range c.admitted {
		if a.Asked >= from && a.Answered <= to {
			n++
		}
	}
	return n
}

// String says what was admitted.
func (c *crowd) String() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	took := time.Since(c.begun)
	text := fmt.Sprintf("%d admitted in %s (%.0f a second), %d refused", len(c.admitted), took.Round(time.Millisecond), float64(len(c.admitted))/took.Seconds(), c.refused)
	for _, message := range slices.Sorted(maps.Keys(c.errors)) {
		text += fmt.Sprintf("\n  %d × %s", c.errors[message], message)
	}
	return text
}
