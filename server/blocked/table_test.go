package blocked_test

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"

	_ "cellserver/commands/all"
	"cellserver/resp/resptest"
	"cellserver/server/servertest"

	"github.com/stretchr/testify/require"
)

// TestNothingIsLost: clients on goroutines of their own push, wait, give up and leave. Each element is taken once.
func TestNothingIsLost(t *testing.T) {
	h := servertest.New(t)
	const workers, each = 8, 300
	var pushed, taken sync.Map
	var all sync.WaitGroup
	var number, waited atomic.Int64
	for w := range workers {
		c, control := h.NewClient(t), h.NewClient(t)
		rng := rand.New(rand.NewPCG(1, uint64(w)))
		all.Go(func() {
			for range each {
				if rng.IntN(2) == 0 {
					element := fmt.Sprint(number.Add(1))
					pushed.Store(element, true)
					c.Do("RPUSH", fmt.Sprint("q", rng.IntN(3)), element)
					continue
				}
				c.Send(resptest.Command("BLPOP", "q0", "q1", "q2", "0"))
				for tries := 0; len(c.Session.Output()) == 0; tries++ {
					if tries == 20 {
						control.Do(fmt.Sprint("CLIENT UNBLOCK ", c.State.ID()))
					}
					runtime.Gosched()
					c.Status = c.Session.Resume()
					waited.Add(1)
				}
				reply, _, err := resptest.Parse(c.Session.Output())
				c.Session.Sent()
				if pair, ok := reply.([]any); ok && err == nil {
					_, twice := taken.LoadOrStore(pair[1], true)
					if twice {
						t.Errorf("element %v was taken twice", pair[1])
					}
				}
			}
		})
	}
	all.Wait()
	require.Positive(t, waited.Load(), "nobody has waited")
	for i := range 3 {
		left := h.Do(fmt.Sprintf("LRANGE q%d 0 -1", i))
		for _, element := range left.([]any) {
			_, twice := taken.LoadOrStore(element, true)
			require.False(t, twice, "element %v was taken and is there", element)
		}
	}
	pushed.Range(func(element, _ any) bool {
		_, ok := taken.Load(element)
		require.True(t, ok, "element %v is lost", element)
		return true
	})
}
