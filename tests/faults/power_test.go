//go:build linux

package faults

import (
	"slices"
	"testing"
	"time"
)

// horizon is how old an acknowledged write may be under everysec and still be lost with the power.
const horizon = 2 * time.Second

// TestPowerCut cuts the disk's power in the middle of the server's work, again and again, under each policy.
func TestPowerCut(t *testing.T) {
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
				l.begin(s.addr)
				time.Sleep(time.Duration(r.Int63n(int64(3 * time.Second))))
				if r.Intn(2) == 0 {
					s.do(t, "BGREWRITEAOF")
					time.Sleep(time.Duration(r.Int63n(int64(100 * time.Millisecond))))
				}
				d.arm(t)
				cut := time.Now()
				if err := d.cut([]uint32{cutHard, cutJournal}[r.Intn(2)]); err != nil {
					t.Fatal(err)
				}
				// What is acknowledged now must have been durable before.
				time.Sleep(time.Duration(r.Int63n(int64(20 * time.Millisecond))))
				s.kill()
				l.end(t)
				d.restore(t)
				s = p.start(t, d.dir, appendOnly(policy)...)
				v := l.check(t, s, cut)
				switch policy {
				case "always":
					v.nothingLost(t, s)
				case "everysec":
					v.nothingOldLost(t, s, horizon)
				case "no":
					v.nothingOldLost(t, s, time.Since(time.Time{}))
				}
				windows = append(windows, v.window)
				acked, lost = acked+v.acked, lost+v.lost
				s.kill()
			}
			slices.Sort(windows)
			t.Logf("%d cuts, %d acknowledged writes, %d lost; the oldest lost one was %v (median) and %v (maximum) before the cut",
				n, acked, lost, windows[len(windows)/2], windows[len(windows)-1])
		})
	}
}
