package cluster

import (
	"fmt"
	"math"
	"os/exec"
	"regexp"
	"strconv"
	"testing"
	"time"

	"cellserver/internal/porttest"
	"cellserver/internal/promisetest"

	"github.com/stretchr/testify/require"
)

// alone starts a server that is no node of a cluster.
func alone(t *testing.T, more ...string) *processes {
	t.Helper()
	p := &processes{t: t, more: more, nodes: []*node{{bin: bin, host: "127.0.0.1", port: porttest.Free(t), dir: t.TempDir()}}}
	p.command = func(i int) *exec.Cmd {
		n := p.nodes[i]
		return exec.Command(n.bin, append([]string{"--port", strconv.Itoa(n.port), "--bind", n.host, "--dir", n.dir}, p.more...)...)
	}
	p.run(0)
	t.Cleanup(p.end)
	p.await(0)
	return p
}

var callsOf = regexp.MustCompile(`cmdstat_(?:cl\.|gcra|throttle)[a-z.]*:calls=(\d+),`)

// asked returns how many commands of limiters a server has run.
func (p *processes) asked() (n int) {
	p.t.Helper()
	reply, err := p.ask(0, "INFO", "commandstats")
	require.NoError(p.t, err)
	for _, m := range callsOf.FindAllStringSubmatch(fmt.Sprint(reply), -1) {
		calls, err := strconv.Atoi(m[1])
		require.NoError(p.t, err)
		n += calls
	}
	return n
}

// SIDECAR_SECONDS is how long each of these tests counts.
func seconds(t *testing.T) time.Duration {
	return time.Duration(number(t, "SIDECAR_SECONDS", 5)) * time.Second
}

// TestTwoNodesOfOneSlidingLimit: two sidecars share 500 a second, and 800 arrive. This is the test in a public report about
// gateways that count locally: they admitted 590 a second, and after a repair 438. No round may admit too many.
//
// If other programs take the processor, fewer arrive in time. So as many clients ask the hub itself, at the same time: the
// sidecars admit nearly what it does. The best of three rounds counts. SIDECAR_RATE is the least rate on a quiet machine.
func TestTwoNodesOfOneSlidingLimit(t *testing.T) {
	hub := alone(t)
	sidecars, best, share := hub.beside(2), 0.0, 0.0
	least := float64(number(t, "SIDECAR_RATE", 0))
	for round := 0; round < 3 && (share < 0.96 || best < least); round++ {
		rate, possible := twoNodes(t, hub, sidecars, fmt.Sprint("hot:", round))
		best, share = max(best, rate), max(share, rate/possible)
	}
	require.GreaterOrEqual(t, share, 0.96)
	require.GreaterOrEqual(t, best, least)
}

// twoNodes returns how many actions a second two sidecars admit, and how many the hub does.
func twoNodes(t *testing.T, hub, sidecars *processes, key string) (rate, possible float64) {
	t.Helper()
	crowds := []*crowd{
		sidecars.crowd(4, 100, "CL.SLIDING", key, 500, 1), hub.crowd(8, 100, "CL.SLIDING", key+":direct", 500, 1),
	}
	time.Sleep(seconds(t) + time.Second)
	var rates []float64
	for _, c := range crowds {
		whole := time.Duration(c.begun.UnixNano()) % time.Second
		c.end(t, promisetest.Sliding(500, time.Second, whole))
		require.NoError(t, promisetest.Aligned(500, time.Second, whole)(c.admitted))
		rates = append(rates, float64(c.between(time.Second, time.Second+seconds(t)))/seconds(t).Seconds())
	}
	t.Logf("after the first second sidecars admit %.0f a second, and the hub %.0f", rates[0], rates[1])
	return rates[0], rates[1]
}

// TestQuestionsToTheHub: how often the hub is asked for a thousand decisions about one hot key. A hub that gets no processor
// is asked again, so the best of three rounds counts.
func TestQuestionsToTheHub(t *testing.T) {
	for name, one := range map[string]struct {
		sidecars, clients int
		rate              float64 // of each client
		limit             []any
		most              float64
	}{
		"one sidecar, a tenth of the limit":    {1, 5, 200, []any{599_999, 600_000, 60}, 5},
		"eight sidecars, a tenth of the limit": {8, 5, 125, []any{2_999_999, 3_000_000, 60}, 12},
		"eight sidecars, above the limit":      {8, 2, 100, []any{499, 500, 1}, 100},
	} {
		t.Run(name, func(t *testing.T) {
			hub := alone(t)
			sidecars, share := hub.beside(one.sidecars), math.Inf(1)
			for round := 0; round < 3 && share > one.most; round++ {
				c := sidecars.crowd(one.clients, one.rate, append([]any{"CL.THROTTLE", fmt.Sprint("hot:", round)}, one.limit...)...)
				time.Sleep(time.Second) // the key becomes hot
				before, from := hub.asked(), c.decided()
				time.Sleep(seconds(t))
				asked, decisions := hub.asked()-before, c.decided()-from
				limit := one.limit
				c.end(t, promisetest.Bucket(limit[0].(int)+1, limit[1].(int), time.Duration(limit[2].(int))*time.Second))
				t.Logf("%d decisions, %d commands to the hub", decisions, asked)
				// On a machine that is too slow for the clients the hub is asked as often, for fewer decisions.
				intended := one.rate * float64(one.sidecars*one.clients) * seconds(t).Seconds()
				share = min(share, 1000*float64(asked)/max(intended, float64(decisions)))
			}
			require.LessOrEqual(t, share, one.most)
		})
	}
}

// decided returns how many requests were decided.
func (c *crowd) decided() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.admitted) + c.refused
}
