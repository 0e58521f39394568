package cluster

import (
	"fmt"
	"net"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// read reads a key on a READONLY connection to a node.
func (p *processes) read(i int, key string) (reply any, err error) {
	p.t.Helper()
	nc, err := net.DialTimeout("tcp", p.nodes[i].addr(), answer)
	if err != nil {
		return nil, err
	}
	defer func() { _ = nc.Close() }()
	if reply, err = exchange(p.t, nc, "READONLY"); err != nil {
		return reply, err
	}
	return exchange(p.t, nc, "GET", key)
}

// tooOld is how old a value of a follower may be on a busy machine: a node timeout, a second, and some patience.
const tooOld = nodeTimeout + time.Second + 1500*time.Millisecond

// A follower that hears no leader answers reads for a short time only.
func TestAFollowerThatIsAloneStopsAnswering(t *testing.T) {
	p := start(t, 3)
	p.increment("a")
	i := p.follower(0)
	p.eventually("the follower does not answer", func() bool {
		reply, err := p.read(i, "a")
		return err == nil && reply == "1"
	})
	for other := range p.nodes {
		if other != i {
			p.signal(other, syscall.SIGSTOP)
			defer p.signal(other, syscall.SIGCONT)
		}
	}
	begun := time.Now()
	for {
		asked := time.Since(begun) // a reply may come much later
		reply, err := p.read(i, "a")
		require.NoError(t, err)
		if reply != "1" {
			require.True(t, strings.HasPrefix(fmt.Sprint(reply), "CLUSTERDOWN "), reply)
			break
		}
		require.Less(t, asked, tooOld)
		time.Sleep(20 * time.Millisecond)
	}
	t.Log("the last answer came after", time.Since(begun).Round(time.Millisecond))
	time.Sleep(2 * time.Second)
	reply, err := p.read(i, "a")
	require.NoError(t, err)
	require.Contains(t, fmt.Sprint(reply), "CLUSTERDOWN ", "it stays so")
}

// A follower that starts again answers no read before it has what the leader had.
func TestAFollowerThatStartsShowsNothingOld(t *testing.T) {
	p := start(t, 3)
	i := p.follower(0)
	for range 500 {
		p.increment("counter")
	}
	p.kill(i)
	before := int64(0)
	for range 500 {
		before = p.increment("counter")
	}
	time.Sleep(tooOld)
	p.run(i)
	answers, waits := 0, 0
	for deadline := time.Now().Add(patience); answers < 50; {
		require.True(t, time.Now().Before(deadline), "the follower never answers")
		reply, err := p.read(i, "counter")
		p.increment("counter")
		if err != nil || strings.HasPrefix(fmt.Sprint(reply), "LOADING ") || strings.HasPrefix(fmt.Sprint(reply), "CLUSTERDOWN ") {
			waits++
			continue
		}
		got, err := strconv.ParseInt(fmt.Sprint(reply), 10, 64)
		require.NoError(t, err, "%v", reply)
		require.GreaterOrEqual(t, got, before, "it shows what was before its start")
		answers++
	}
	require.Positive(t, waits)
}
