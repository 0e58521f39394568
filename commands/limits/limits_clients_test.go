package limits

import (
	"cellserver/internal/randtest"
	"cellserver/server/servertest"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"
)

// clientsAtOnce is the number of clients that call commands at once.
const clientsAtOnce = 64

// together calls do for many clients at once, each on its own connection.
func together(h *servertest.Harness, do func(c *servertest.Client, number int)) {
	var all sync.WaitGroup
	for i := range clientsAtOnce {
		c := h.NewClient(h.T)
		all.Go(func() { do(c, i) })
	}
	all.Wait()
}

// TestManyClients: many clients at once get exactly the limit.
func TestManyClients(t *testing.T) {
	const each = 40
	for line, want := range map[string]int64{
		"CL.THROTTLE k 999 1 3600":                1000,
		"CL.THROTTLE k 999 1 3600 1 MS":           1000,
		"CL.THROTTLE k 999 1 3600 3":              333,
		"GCRA k 999 1 3600 TOKENS 2":              500,
		"CL.WINDOW k 1000 60":                     1000,
		"CL.WINDOW k 1000 60 3 ALIGN":             333,
		"CL.SLIDING k 1000 60":                    1000,
		"CL.SLIDING k 1000 60 7":                  142,
		"CL.LOG k 1000 60":                        1000,
		"CL.LOG k 1000 60 1 STRICT":               1000,
		"CL.LOG k 1000 60 3 RESOLUTION 1":         333,
		"CL.LOG k 1000 60 1 GAP 1":                1,
		"CL.PACE k 0 1000 1 1 MAXWAIT 0.999":      1000,
		"CL.MTHROTTLE 2 k 999 1 3600 l 499 1 60":  500,
		"CL.MTHROTTLE 2 m 4999 1 60 k 999 1 3600": 1000,
		"CL.MCHECK 2 many k few l":                500,
	} {
		t.Run(line, func(t *testing.T) {
			h := servertest.New(t)
			h.Do("CL.RULE SET many CL.WINDOW 1000 60")
			h.Do("CL.RULE SET few CL.THROTTLE 499 1 3600")
			var passed atomic.Int64
			together(h, func(c *servertest.Client, _ int) {
				for range each {
					if reply := c.Do(line).([]any); reply[0] == int64(0) {
						passed.Add(1)
					}
				}
			})
			require.Equal(t, want, passed.Load())
		})
	}
}

// TestManyCharges: every charge counts.
func TestManyCharges(t *testing.T) {
	h := servertest.New(t)
	together(h, func(c *servertest.Client, number int) {
		for range 40 {
			c.Do(fmt.Sprint("CL.CHARGE k 99 1 1 ", number))
		}
	})
	h.Want("CL.CHARGE k 99 1 1 0", []any{1, 100, 100 - 40*63*32, 40*63*32 - 100, 40 * 63 * 32})
}

// TestManyPaced: each action has its own delay, one interval after another.
func TestManyPaced(t *testing.T) {
	h := servertest.New(t)
	var mu sync.Mutex
	var held []int
	together(h, func(c *servertest.Client, _ int) {
		for range 20 {
			reply := c.Do("CL.PACE k 0 1000 1").([]any)
			mu.Lock()
			held = append(held, int(reply[5].(int64)))
			mu.Unlock()
		}
	})
	slices.Sort(held)
	for i, ms := range held {
		require.Equal(t, i, ms)
	}
}

// TestManyHolders: at no time are more permits in use than the limit.
func TestManyHolders(t *testing.T) {
	const permits = 10
	h := servertest.New(t)
	var working, most atomic.Int64
	together(h, func(c *servertest.Client, number int) {
		for range 100 {
			if c.Do(fmt.Sprint("CL.ACQUIRE k ", permits, " 60 ", number)).([]any)[0] != int64(0) {
				continue
			}
			n := working.Add(1)
			for old := most.Load(); n > old && !most.CompareAndSwap(old, n); old = most.Load() {
			}
			working.Add(-1)
			c.Do(fmt.Sprint("CL.RELEASE k ", number))
		}
	})
	require.LessOrEqual(t, most.Load(), int64(permits))
	h.Want("EXISTS k", 0)
	together(h, func(c *servertest.Client, number int) { c.Do(fmt.Sprint("CL.ACQUIRE k ", permits, " 60 ", number)) })
	h.Want("ZCARD k", permits)
}

// TestManyLimitsAtOnce: limits in different partitions, named in any order, count exactly the
// allowed actions.
func TestManyLimitsAtOnce(t *testing.T) {
	h := servertest.New(t)
	limits := map[string]int{"a": 400, "b": 250, "c": 300, "d": 2000}
	names := []string{"a", "b", "c", "d"}
	var passed [4]atomic.Int64
	source := randtest.Source(t)
	seeds := rand.New(source)
	var first [clientsAtOnce]uint64
	for i := range first {
		first[i] = seeds.Uint64()
	}
	together(h, func(c *servertest.Client, number int) {
		r := rand.New(rand.NewPCG(first[number], 0))
		for range 40 {
			chosen := r.Perm(len(names))[:2+r.IntN(2)]
			line := fmt.Sprint("CL.MTHROTTLE ", len(chosen))
			for _, i := range chosen {
				line += fmt.Sprintf(" %s %d 1 3600", names[i], limits[names[i]]-1)
			}
			reply := c.Do(line).([]any)
			if reply[0] == int64(1) {
				continue
			}
			for _, i := range chosen {
				passed[i].Add(1)
			}
		}
	})
	full := 0
	for i, name := range names {
		left := h.Do(fmt.Sprintf("CL.THROTTLE %s %d 1 3600 0", name, limits[name]-1)).([]any)[2].(int64)
		require.Equal(t, int64(limits[name])-passed[i].Load(), left, name)
		if left == 0 {
			full++
		}
	}
	require.GreaterOrEqual(t, full, 2, "clients must have been turned away")
}
