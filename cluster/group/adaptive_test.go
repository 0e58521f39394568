package group_test

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"cellserver/cluster/clustertest"

	"github.com/stretchr/testify/require"
)

// calls lets as many calls begin as the limit allows, and ends them after 20 ms. It returns the limit.
func calls(t *testing.T, m *clustertest.Machine) int64 {
	const enter = "CL.ENTER service 60 "
	begun := []string{}
	for i := 0; ; i++ {
		holder := fmt.Sprint("h", i)
		reply := do(t, m, enter+holder+" BETWEEN 1 60").([]any)
		if reply[0].(int64) == 1 {
			require.Len(t, begun, int(reply[1].(int64)), "as many as the limit")
			break
		}
		begun = append(begun, holder)
	}
	for _, holder := range begun {
		require.EqualValues(t, 1, do(t, m, "CL.LEAVE service "+holder+" 0.02").([]any)[0])
	}
	return int64(len(begun))
}

// Another node leads every 5 seconds, and at last the leader dies. The limit grows, and no change sets it back.
func TestAnAdaptiveLimitFollowsTheLead(t *testing.T) {
	bubble(t, func(t *testing.T, progress func()) {
		c, leader := ready(t, 3)
		defer c.Close()
		limit := int64(20)
		for range 12 {
			for range 3 {
				now := calls(t, leader)
				require.GreaterOrEqual(t, now, limit, "a change of the leader loses no limit")
				limit = now
				time.Sleep(1100 * time.Millisecond)
				progress()
			}
			next := other(c, leader)
			moveTo(t, c, next)
			leader = next
		}
		require.EqualValues(t, 60, limit)
		require.NoError(t, leader.Kill())
		require.EqualValues(t, 60, calls(t, c.Leader()))
	})
}

// permit is what a step asks of an adaptive limit.
type permit struct {
	holder int
	lease  int64 // ms
}

// flights is the state of an adaptive limit with a window for each sample. The zero flights is none.
type flights struct {
	limit int64
	ends  [flyers]int64 // of the leases of its holders, Unix ns
}

// The bounds of an adaptive limit, and where it begins.
const (
	flyers                                  = 6
	leastFlights, firstFlights, mostFlights = 2, 3, 5
)

// randomPermit returns a permit whose lease may end before a client rests.
func randomPermit(r *rand.Rand) permit {
	return permit{r.IntN(flyers), 50 + r.Int64N(1500)}
}

// flightCommand returns the command of a step.
func (s step) flightCommand() string {
	switch s.op {
	case "enter":
		return fmt.Sprintf("CL.ENTER %s %d.%03d %d AIMD 60 WINDOW 0 START %d BETWEEN %d %d",
			s.key, s.lease/1000, s.lease%1000, s.holder, firstFlights, leastFlights, mostFlights)
	case "leave":
		return fmt.Sprint("CL.LEAVE ", s.key, " ", s.holder, " 0.01")
	case "drop":
		return fmt.Sprint("CL.LEAVE ", s.key, " ", s.holder, " 0.01 DROP")
	}
	return "CL.LIMIT " + s.key
}

// fly returns the states after a step, none if no state explains the output. A sample changes the limit only
// if the node has seen the window begin. The clients cannot know that, so both states are possible.
func (s step) fly(state any, got []int64) (next []any) {
	f, _ := state.(flights)
	take := func(reply ...int64) {
		if got == nil || slices.Equal(got[:2], reply) {
			next = append(next, f)
		}
	}
	calls, own := int64(0), s.holder
	for _, end := range f.ends {
		if end > s.now {
			calls++
		}
	}
	switch holds := f.ends[own] > s.now; {
	case s.op == "limit":
		take(f.limit, calls)
	case s.op == "enter":
		f.limit = cmp.Or(f.limit, firstFlights)
		if !holds && calls >= f.limit {
			take(1, f.limit)
			return next
		}
		f.ends[own] = (s.now + s.lease*1e6) / 1000 * 1000
		take(0, f.limit)
	case !holds:
		take(0, f.limit)
	default:
		f.ends[own] = 0
		take(1, f.limit)
		if s.op == "drop" {
			f.limit = max(f.limit*900/1000, leastFlights)
		} else {
			f.limit = min(f.limit+1, mostFlights)
		}
		take(1, f.limit)
	}
	return next
}
