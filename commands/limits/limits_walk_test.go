package limits

import (
	"cellserver/commands"
	"cellserver/internal/randtest"
	"cellserver/server/servertest"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

// walks runs many random walks of a limiter, each with other parameters. At every tenth step the
// key is dumped and restored.
func walks(t *testing.T, steps func(w *walk) (step func())) {
	r := rand.New(randtest.Source(t))
	runs := 60
	if testing.Short() {
		runs = 12
	}
	for range runs {
		w := &walk{Harness: servertest.New(t), Rand: r}
		w.start = w.Clock.Time
		step := steps(w)
		for range 150 {
			if w.IntN(10) == 0 {
				w.restart()
			}
			step()
		}
	}
}

// checkPromises compares a reply with the promises of all limiters. passes reports whether the
// request passes at a time. free returns the available quantity at a time.
func (w *walk) checkPromises(reply []any, limit int64, passes func(at int64) bool, free func(at int64) int64, about string) {
	now := w.Clock.Time
	require.Equal(w.T, limit, reply[1], about)
	require.Equal(w.T, free(now), reply[2], "remaining: %s", about)
	retry, reset := reply[3].(int64), reply[4].(int64)
	require.Equal(w.T, reply[0] == int64(1), retry >= 0, about)
	if retry >= 0 {
		require.True(w.T, passes(now+retry*millisecond), "too early: %s", about)
		require.False(w.T, passes(now+(retry-1)*millisecond), "too late: %s", about)
	}
	require.Equal(w.T, limit, free(now+reset*millisecond), "the limit is not available yet: %s", about)
	if reset > 0 {
		require.Less(w.T, free(now+(reset-1)*millisecond), limit, "the limit was available before: %s", about)
	}
}

// TestPaceMatchesItsModel: the schedule is at most a burst behind the clock, and each action
// advances it by its cost. An action begins when the schedule allows it, or waits until then.
func TestPaceMatchesItsModel(t *testing.T) {
	walks(t, func(w *walk) func() {
		burst, count, period := w.Int64N(5), 1+w.Int64N(20), (1+w.Int64N(4000))*millisecond
		interval := period / count
		var h history
		schedule := func(at int64) int64 {
			v := int64(0)
			for _, r := range h {
				v = max(v, r.at-burst*interval) + r.quantity*interval
			}
			return max(v, at-burst*interval)
		}
		return func() {
			w.Clock.Advance(w.Int64N(3) * w.Int64N(2*interval+1))
			now, quantity, wait, peek := w.Clock.Time, w.Int64N(4), w.Int64N(4*interval+1), w.IntN(8) == 0
			line := fmt.Sprint("CL.PACE k ", burst, " ", count, " ", asDecimal(period), " ", quantity, " MAXWAIT ", asDecimal(wait), " MS")
			if peek {
				line += " PEEK"
			}
			reply := w.Do(line).([]any)
			about := fmt.Sprintf("%s at %d ns: %v after %v", line, now-w.start, reply, h)
			passes := func(at int64) bool { return schedule(at)-at <= wait }
			require.Equal(w.T, !passes(now), reply[0] == int64(1), about)
			hold := int64(0)
			before := h
			if passes(now) {
				hold = wholeUnits(max(schedule(now)-now, 0), true)
				h = append(h[:len(h):len(h)], counted{at: now, quantity: quantity})
			}
			require.Equal(w.T, hold, reply[5], about)
			w.checkPromises(reply, burst+1, passes, func(at int64) int64 {
				if schedule(at) > at {
					return 0
				}
				return min(1+(at-schedule(at))/interval, burst+1)
			}, about)
			if peek {
				h = before
			}
		}
	})
}

// TestLeasesMatchTheirModel: a holder with a current lease renews it. Another holder gets a lease
// while fewer than limit leases are current.
func TestLeasesMatchTheirModel(t *testing.T) {
	walks(t, func(w *walk) func() {
		limit := 1 + w.Int64N(5)
		ends := map[int]int64{}
		return func() {
			w.Clock.Advance(w.Int64N(3) * w.Int64N(1000*millisecond))
			if w.IntN(10) == 0 {
				limit = 1 + w.Int64N(5)
			}
			now, holder := w.Clock.Time, w.IntN(8)
			if w.IntN(4) == 0 {
				held := commands.Bit(ends[holder] > now)
				w.Want(fmt.Sprint("CL.RELEASE k ", holder), held)
				delete(ends, holder)
				return
			}
			lease, peek := millisecond+w.Int64N(4000*millisecond), w.IntN(8) == 0
			line := fmt.Sprint("CL.ACQUIRE k ", limit, " ", asDecimal(lease), " ", holder, " MS")
			if peek {
				line += " PEEK"
			}
			reply := w.Do(line).([]any)
			about := fmt.Sprintf("%s at %d ns: %v after %v", line, now-w.start, reply, ends)
			free := func(at int64) int64 {
				live := int64(0)
				for _, end := range ends {
					live += int64(commands.Bit(end > at))
				}
				return max(limit-live, 0)
			}
			passes := func(at int64) bool { return ends[holder] > at || free(at) > 0 }
			require.Equal(w.T, !passes(now), reply[0] == int64(1), about)
			old, had := ends[holder]
			if passes(now) {
				ends[holder] = (now + lease) / 1000 * 1000
			}
			w.checkPromises(reply, limit, passes, free, about)
			if peek {
				if delete(ends, holder); had {
					ends[holder] = old
				}
			}
		}
	})
}
