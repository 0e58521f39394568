//go:build linux && amd64

package faults

import (
	"math"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"cellserver/internal/pausetest"

	"github.com/stretchr/testify/require"
)

// horizon is the largest age of an acknowledged write that a power cut may lose under everysec.
const horizon = 2 * time.Second

// windowOf has, for each policy, the largest age of an acknowledged write that a power cut may lose.
var windowOf = map[string]time.Duration{"always": 0, "everysec": horizon, "no": math.MaxInt64}

// mayLose returns the largest age of a write that a power cut may lose. A machine that stands still syncs nothing, and its clients hear of
// acknowledgements later.
func mayLose(policy string, machine *pausetest.Meter) time.Duration {
	if policy == "everysec" {
		return horizon + machine.Allows(0)
	}
	return windowOf[policy]
}

// TestPowerCut cuts the power of the disk while clients write, many times, under each policy.
func TestPowerCut(t *testing.T) {
	t.Parallel()
	p := subject(t)
	for _, policy := range policies {
		t.Run(policy, func(t *testing.T) {
			t.Parallel()
			r := random(t)
			n := rounds(3, 100)
			var windows []time.Duration
			acked, lost := 0, 0
			d := newDisk(t, 512, "data=ordered")
			l := newLoad(p, r, 4, 20, 32)
			for range n {
				s := p.start(t, d.dir, appendOnly(policy)...)
				machine := pausetest.Start(t)
				l.begin(s.addr)
				time.Sleep(time.Duration(r.Int63n(int64(3 * time.Second))))
				if r.Intn(2) == 0 {
					s.do(t, "BGREWRITEAOF")
					time.Sleep(time.Duration(r.Int63n(int64(100 * time.Millisecond))))
				}
				d.arm(t)
				if err := d.cut([]uint32{cutHard, cutJournal}[r.Intn(2)]); err != nil {
					t.Fatal(err)
				}
				// The server goes on for a moment. Its acknowledgements do not count any more: a sync that was running
				// when the file system stopped may return without an error. On a machine without power it would not
				// return.
				time.Sleep(time.Duration(r.Int63n(int64(20 * time.Millisecond))))
				s.kill()
				l.end(t)
				d.restore(t)
				s = p.start(t, d.dir, appendOnly(policy)...)
				v := l.check(t, s, d.cutAt)
				v.nothingOldLost(t, s, mayLose(policy, machine))
				windows = append(windows, v.window)
				acked, lost = acked+v.acked, lost+v.lost
				s.kill()
			}
			slices.Sort(windows)
			t.Logf("%d cuts, %d acknowledged writes, %d lost; the oldest lost one was %v (median) and %v (maximum) before the last",
				n, acked, lost, windows[len(windows)/2], windows[len(windows)-1])
		})
	}
}

// TestPowerCutAfterStop requires that a power cut after a normal stop loses nothing.
func TestPowerCutAfterStop(t *testing.T) {
	p := subject(t)
	for _, policy := range policies {
		d := newDisk(t, 64, "data=ordered")
		l := newLoad(p, random(t), 2, 5, 16)
		for range rounds(2, 20) {
			s := p.start(t, d.dir, appendOnly(policy)...)
			l.begin(s.addr)
			time.Sleep(20 * time.Millisecond)
			s.stop(t)
			l.end(t)
			d.arm(t)
			require.NoError(t, d.cut(cutHard))
			d.restore(t)
			s = p.start(t, d.dir, appendOnly(policy)...)
			l.check(t, s, time.Now()).nothingLost(t, s)
			s.kill()
		}
	}
}

// TestSlowDisk cuts the power of a disk that takes five seconds for each sync. Under everysec it must lose no more than
// a fast disk: replies wait. Under always no client may see a change that may be lost, not
// even a client that only reads.
func TestSlowDisk(t *testing.T) {
	t.Parallel()
	p := subject(t)
	for policy, slow := range map[string]time.Duration{"everysec": 5 * time.Second, "always": 200 * time.Millisecond} {
		t.Run(policy, func(t *testing.T) {
			t.Parallel()
			r := random(t)
			for range rounds(1, 20) {
				d := newDisk(t, 256, "data=ordered")
				var lame atomic.Bool
				s, err := p.startTraced(t, d.dir, func(c call) fault {
					if lame.Load() && strings.HasSuffix(c.name, "sync") {
						return fault{delay: slow}
					}
					return fault{}
				}, appendOnly(policy)...)
				require.NoError(t, err)
				l := newLoad(p, r, 2, 5, 16)
				machine := pausetest.Start(t)
				require.True(t, l.once(t, s.addr))
				lame.Store(true)
				l.begin(s.addr)
				seen := look(s, "0 counter0")
				time.Sleep(slow + time.Duration(r.Int63n(int64(4*time.Second))))
				d.arm(t)
				cut := time.Now()
				most := seen()
				require.NoError(t, d.cut(cutHard))
				s.kill()
				l.end(t)
				d.restore(t)
				s = p.start(t, d.dir, appendOnly(policy)...)
				if policy == "always" {
					n, _, err := one(s.do(t, "GET", "0 counter0"))
					require.NoError(t, err)
					require.GreaterOrEqual(t, n, most, "a client saw the change before it was on disk")
				}
				v := l.check(t, s, cut)
				v.nothingOldLost(t, s, mayLose(policy, machine))
				t.Logf("%d acknowledged writes, %d lost, the oldest %v before the last", v.acked, v.lost, v.window)
				s.kill()
			}
		})
	}
}

// look reads a counter in a loop, until seen is called. seen returns the largest value.
func look(s *server, key string) (seen func() int64) {
	stop, result := make(chan struct{}), make(chan int64)
	go func() {
		most := int64(0)
		c, err := dial(s.addr)
		for err == nil {
			var v any
			if v, err = c.do("GET", key); err == nil {
				n, _, _ := one(v)
				most = max(most, n)
			}
			select {
			case <-stop:
				err = errEnded
			default:
			}
		}
		<-stop
		result <- most
	}()
	return func() int64 { close(stop); return <-result }
}
