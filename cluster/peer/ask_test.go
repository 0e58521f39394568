package peer

import (
	"context"
	"fmt"
	"net"
	"strings"
	"sync"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"cellserver/cluster/roster"
	"cellserver/internal/topology"

	"github.com/stretchr/testify/require"
)

// A starter is a node that looks for its place.
type starter struct {
	fakeService
	self roster.Self

	mu sync.Mutex
}

func (s *starter) Hello(Hello) Hello {
	s.mu.Lock()
	defer s.mu.Unlock()
	return Hello{Standing: s.self.Standing}
}

// step asks and decides once.
func (s *starter) step(t *testing.T, d *Dialer) roster.Decision {
	t.Helper()
	answers := d.Ask(t.Context(), s.Hello(Hello{}), s.self.Ask())
	s.mu.Lock()
	defer s.mu.Unlock()
	decision := roster.Decide(s.self, answers)
	s.self.Found = decision.Found
	switch decision.Action {
	case roster.Found:
		s.self.Phase, s.self.ID = roster.Founding, decision.ID
	case roster.Enter:
		s.self.Phase, s.self.ID, s.self.Cluster = roster.Member, decision.ID, decision.Cluster
	}
	return decision
}

// Three nodes start one after the other, find themselves and each other, and found one cluster. A fourth one joins it.
func TestFormation(t *testing.T) {
	noLeaks(t)
	var n network
	var texts []string
	var listeners []net.Listener
	for i := range 3 {
		ln := n.listen(t)
		listeners = append(listeners, ln)
		texts = append(texts, fmt.Sprintf("127.0.0.1:%d@%d", i+1, ln.Addr().(*net.TCPAddr).Port))
	}
	list, err := topology.ParseAddresses(texts)
	require.NoError(t, err)
	newStarter := func(i int, list []topology.Address) *starter {
		standing := roster.Standing{Run: fmt.Sprintf("%040d", i), Phase: roster.Empty,
			Nodes: roster.Strings(list)}
		return &starter{self: roster.Self{Standing: standing, List: list}}
	}
	var starters []*starter
	for i := range 3 {
		starters = append(starters, newStarter(i, list))
	}
	d := n.dialer(Limits{})
	n.serve(t, starters[0], d, listeners[0])
	decision := starters[0].step(t, &Dialer{Security: d.Security, Connect: func(ctx context.Context, addr string) (net.Conn, error) {
		if addr != list[0].Peer() {
			return nil, &net.OpError{Op: "dial", Net: "tcp", Err: syscall.ECONNREFUSED}
		}
		return n.connect(ctx, addr)
	}})
	require.Equal(t, fmt.Sprintf("waiting for %s (connection refused), %s (connection refused): a cluster forms when all of cluster-nodes answer. "+
		"Start them, and let them reach each other", list[1], list[2]), decision.Why)
	n.serve(t, starters[1], d, listeners[1])
	n.serve(t, starters[2], d, listeners[2])

	founded := map[string]bool{}
	for rounds := 0; len(founded) < 3; rounds++ {
		require.Less(t, rounds, 5)
		for _, s := range starters {
			decision := s.step(t, d)
			require.NotEqual(t, roster.Refuse, decision.Action, decision.Why)
			if decision.Action == roster.Found {
				founded[decision.ID] = true
			}
		}
	}
	for _, voter := range roster.Founders(list) {
		require.Contains(t, founded, voter.ID)
	}
	starters[1].mu.Lock()
	starters[1].self.Phase, starters[1].self.Cluster = roster.Member, strings.Repeat("f", 40)
	starters[1].mu.Unlock()
	fourth := newStarter(3, list[1:])
	decision = fourth.step(t, d)
	require.Equal(t, roster.Enter, decision.Action, decision.Why)
	require.Equal(t, []string{list[1].Peer()}, decision.Via)
}

func TestAskSaysWhyThereIsNoAnswer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := &Dialer{Security: &Security{}, Connect: func(ctx context.Context, addr string) (net.Conn,
			error) {
			switch addr {
			case "silent:10001":
				<-ctx.Done()
				return nil, ctx.Err()
			case "unknown:10001":
				return nil, &net.OpError{Op: "dial", Net: "tcp", Err: &net.DNSError{Err: "no such host", Name: "unknown"}}
			}
			a, b := net.Pipe()
			go func() {
				_, _ = b.Read(make([]byte, 100))
				_, _ = b.Write([]byte{byte(wantsSecret)})
			}()
			return a, nil
		}}
		list, err := topology.ParseAddresses([]string{"silent:1", "unknown:1", "secret:1"})
		require.NoError(t, err)
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		require.Equal(t, map[string]roster.Answer{
			"silent:1":  {Error: "no answer"},
			"unknown:1": {Error: "lookup unknown: no such host"},
			"secret:1": {Error: "node secret:10001: it has a cluster-secret, and this node has no cluster-secret: " +
				"set the same cluster-secret on every node"},
		}, d.Ask(ctx, Hello{}, list))
	})
}
