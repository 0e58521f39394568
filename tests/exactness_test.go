package tests

import (
	"math/rand"
	"sync"
	"sync/atomic"
	"testing"

	"cellserver/resp/resptest"

	"github.com/stretchr/testify/require"
)

// TestExactness runs many clients on one key. At any interleaving the key admits exactly burst + 1 + floor(elapsed /
// interval) actions, by single commands and by transactions.
func TestExactness(t *testing.T) {
	const clients, rounds, burst, count, period = 64, 30, 20, 7, 3
	const interval = period * 1_000_000_000 / count
	addr := startServer(t)
	r := rand.New(rand.NewSource(seed(t)))
	admin := resptest.Dial(t, addr)
	start := int64(1_790_000_000_123_456_789)
	setClock(t, admin, start)

	conns := make([]*resptest.Client, clients)
	for i := range conns {
		conns[i] = resptest.Dial(t, addr)
	}
	now, admitted := start, int64(0)
	for range rounds {
		admitted += askAll(t, conns, burst, count, period)
		elapsed := now - start
		require.Equal(t, int64(burst+1)+elapsed/interval, admitted, "after %d ns", elapsed)
		now += r.Int63n(4 * interval)
		setClock(t, admin, now)
	}
}

// askAll asks with every client at once, half of them in transactions, and returns how many actions the server
// admitted.
func askAll(t *testing.T, conns []*resptest.Client, burst, count, period int) int64 {
	var admitted atomic.Int64
	var wg sync.WaitGroup
	for i, c := range conns {
		wg.Go(func() {
			for range 2 {
				if i%2 == 0 && throttle(t, c, "k", burst, count, period) {
					admitted.Add(1)
				} else if i%2 == 1 {
					admitted.Add(inTransaction(c, burst, count, period))
				}
			}
		})
	}
	wg.Wait()
	return admitted.Load()
}

// inTransaction asks twice in one MULTI, with another key between, and returns how many actions the server allowed.
func inTransaction(c *resptest.Client, burst, count, period int) (n int64) {
	c.Do("MULTI")
	c.Do("CL.THROTTLE", "k", burst, count, period)
	c.Do("INCR", "elsewhere")
	c.Do("CL.THROTTLE", "k", burst, count, period)
	replies := c.Do("EXEC").([]any)
	for _, i := range []int{0, 2} {
		if replies[i].([]any)[0] == int64(0) {
			n++
		}
	}
	return n
}
