package account

import (
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"testing"

	"cellserver/internal/randtest"

	"github.com/stretchr/testify/require"
)

// spent is units that a world admits at a time, in microseconds.
type spent struct{ at, units int64 }

// promise reports whether units keep what a limiter promises. They are in the order of time.
type promise func([]spent) bool

// keepsGCRA returns the promise of a GCRA of a limit, of which a unit comes back in an interval of microseconds.
func keepsGCRA(limit, interval int64) promise {
	return func(all []spent) bool {
		full := int64(0)
		for _, s := range all {
			full = max(full, s.at) + s.units*interval
			if full > s.at+limit*interval {
				return false
			}
		}
		return true
	}
}

// keepsAligned returns the promise of windows that begin at the multiples of a period.
func keepsAligned(limit, period int64) promise {
	return func(all []spent) bool {
		in := map[int64]int64{}
		for _, s := range all {
			window := (epoch + s.at*1000) / (period * 1000)
			if in[window] += s.units; in[window] > limit {
				return false
			}
		}
		return true
	}
}

// keepsSliding returns the promise of a sliding window.
func keepsSliding(limit, period int64) promise {
	period *= 1000
	return func(all []spent) bool {
		in := map[int64]int64{}
		for _, s := range all {
			at := epoch + s.at*1000
			in[at/period] += s.units
			if in[at/period]+in[at/period-1]*(period-at%period)/period > limit {
				return false
			}
		}
		return true
	}
}

// keepsLog returns the promise of a log: no period has more than the limit.
func keepsLog(limit, period int64) promise {
	return func(all []spent) bool {
		first, units := 0, int64(0)
		for _, s := range all {
			for units += s.units; all[first].at <= s.at-period; first++ {
				units -= all[first].units
			}
			if units > limit {
				return false
			}
		}
		return true
	}
}

// worldKinds are limits that allow 12 units in 400 ms or a day, each with what it promises.
var worldKinds = map[string]struct {
	lines   []string
	promise []promise
	faults  []fault // that somebody notices
}{
	"GCRA": {[]string{"CL.THROTTLE 39 50 1"}, []promise{keepsGCRA(40, 20_000)},
		[]fault{unstamped, ageless, slowClock}},
	"aligned window": {[]string{"CL.WINDOW 12 0.4 ALIGN"}, []promise{keepsAligned(12, 400_000)},
		[]fault{slowClock}},
	"calendar window": {[]string{"CL.WINDOW 12 0 ALIGN day"}, []promise{keepsAligned(12, 86_400_000_000)},
		[]fault{slowClock}},
	"sliding window": {[]string{"CL.SLIDING 12 0.4"}, []promise{keepsSliding(12, 400_000)},
		[]fault{slowClock}},
	"log": {[]string{"CL.LOG 12 0.4"}, []promise{keepsLog(12, 400_000)}, []fault{unstamped, slowClock}},
	"log with resolution": {[]string{"CL.LOG 12 0.4 RESOLUTION 0.04"}, []promise{keepsLog(12, 400_000)},
		[]fault{unstamped, slowClock}},
	"rule": {[]string{"CL.THROTTLE 5 30 1", "CL.WINDOW 20 1 ALIGN"},
		[]promise{keepsGCRA(6, 33_333), keepsAligned(20, 1_000_000)}, []fault{slowClock}},
}

// live runs a random world of a few sidecars with one key, and returns what it admits.
func live(r *rand.Rand, h *hub) (all []spent) {
	begin := r.Int64N(2_000_000)
	w := &world{Rand: r, hubs: []*hub{h}, now: begin}
	w.admitted = func(_ int, at, units int64) { all = append(all, spent{at, units}) }
	slowest := 1 + r.Int64N(40_000)
	losses := r.IntN(2) * r.IntN(20)
	w.repeats = func() bool { return losses > 0 && r.IntN(30) == 0 }
	w.delay = func(*node) (int64, bool) { return r.Int64N(slowest), r.IntN(100) < losses }
	for range 1 + r.IntN(4) {
		w.addRandomNode(h.fault)
	}
	if r.IntN(2) == 0 {
		w.quiet()
	} else {
		w.busy()
	}
	h.clear(w.hubTime())
	slices.SortFunc(all, func(a, b spent) int { return int(a.at - b.at) })
	return all
}

// busy lets bursts of requests come for two seconds.
func (w *world) busy() {
	const length = 2_000_000
	begin := w.now
	for range 10 + w.IntN(40) {
		n, at := w.nodes[w.IntN(len(w.nodes))], begin+w.Int64N(length)
		switch w.IntN(20) {
		case 0:
			w.at(at, func() { n.paused = w.now + w.Int64N(300_000) })
		case 1:
			w.at(at, w.direct)
		default:
			quantity := 1 + w.Int64N(3)*w.Int64N(2)
			for range 1 + w.IntN(10) {
				n.on(at+w.Int64N(2000), func() { n.take(0, quantity) })
			}
		}
	}
	w.run(begin + length + 500_000)
}

// quiet lets sidecars give back most of what they lease, while another client takes all that is left.
func (w *world) quiet() {
	begin := w.now
	for range 2 + w.IntN(4) {
		n := w.nodes[w.IntN(len(w.nodes))]
		n.on(begin+w.Int64N(400_000), func() { n.take(0, 1) })
	}
	storm := begin + w.Int64N(400_000)
	for range 40 {
		w.at(storm+w.Int64N(300_000), w.direct)
	}
	w.run(begin + 900_000)
}

// direct is a client that asks the hub itself, for about all that is left.
func (w *world) direct() {
	_, look := w.hubs[0].direct(w.hubTime(), 0)
	quantity := max(1, look.Remaining-w.Int64N(2))
	if limited, _ := w.hubs[0].direct(w.hubTime(), quantity); !limited {
		w.admitted(0, w.now, quantity)
	}
}

// addRandomNode adds a sidecar whose clocks are a little wrong. Its key is hot at the beginning.
func (w *world) addRandomNode(f fault) {
	n := w.addNode(Settings{Lease: 20 + w.Int64N(200), Keys: 2})
	ahead, rate, wall, step := w.Int64N(1e9), w.Int64N(1001)-500, w.Int64N(2e9)-1e9, w.Int64N(8)*w.Int64N(4e6)
	if f == slowClock {
		rate = -500_000
		wall = 0
	}
	n.clock = func(now int64) Time {
		t := Time{ahead + now + now*rate/1_000_000, epoch/1000 + now + wall}
		if f == slowClock {
			t.Wall = epoch/1000 + now/2
		} else if step > 1e6 && now > step {
			t.Wall += step - 3e6
		}
		return t
	}
	d := &n.account(0).demand
	d.slot = ahead / slotLength
	d.rate, d.last = w.Int32N(40*fraction), ahead
	d.flow = int64(d.rate)
}

// TestNoWorldBreaksTheLimit lets random worlds live: with messages that are lost, late or repeated, with
// clocks that are wrong, pauses, and units that come back. None admits more than the limit promises. Somebody
// notices each fault. WORLDS says how many worlds of each kind live.
func TestNoWorldBreaksTheLimit(t *testing.T) {
	worlds := 1000
	if n, err := strconv.Atoi(os.Getenv("WORLDS")); err == nil {
		worlds = n
	}
	for name, kind := range worldKinds {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r, h := rand.New(randtest.Source(t)), newHub(t, newStore(), kind.lines...)
			breaks := func(f fault) bool {
				h.fault = f
				all := live(r, h)
				return slices.ContainsFunc(kind.promise, func(keeps promise) bool { return !keeps(all) })
			}
			for i := range worlds {
				require.False(t, breaks(noFault), "world %d", i)
			}
			require.Greater(t, h.asked, worlds, "the keys are not hot")
			for _, f := range kind.faults {
				i := 0
				for ; i < 20_000 && !breaks(f); i++ {
				}
				require.Less(t, i, 20_000, "nobody notices the fault %d", f)
				t.Logf("fault %d found in world %d", f, i)
			}
		})
	}
}
