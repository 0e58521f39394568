package sidecar_test

import (
	"bufio"
	"testing"
	"testing/synctest"
	"time"

	"cellserver/sidecar/account"

	"github.com/stretchr/testify/require"
)

// TestChargesOfAStoppedHub: a hub stops for a while, in the mode report. When it goes on, it counts all charges that wait for
// it. So the sidecar repeats none while the hub is lost, whenever that ends.
func TestChargesOfAStoppedHub(t *testing.T) {
	for stopped := 10 * time.Second; stopped < 11*time.Second; stopped += 100 * time.Millisecond {
		synctest.Test(t, func(t *testing.T) {
			const limit, some = 1_000_000, 300 // some charges are repeated before the hub is lost
			w := newWorld(t, 1, 1, 1, account.Deny, "CL.WINDOW", "k", limit, 3600)
			defer w.close()
			w.sidecars[0].running.Load().sidecar.Configure(account.Settings{Lease: 1000, Keys: 1000, Interval: 100})
			nc := w.sidecars[0].connect()
			in := bufio.NewReader(nc)
			ask := func(d time.Duration) {
				for end := time.Now().Add(d); time.Now().Before(end); time.Sleep(10 * time.Millisecond) {
					require.True(t, w.sidecars[0].ask(nc, in))
				}
			}
			ask(5 * time.Second)
			go w.stop(w.hub.Machines[0], stopped)
			ask(stopped + time.Second)
			time.Sleep(5 * time.Second)
			require.NoError(t, nc.Close())
			require.Zero(t, w.refused)
			allowed, left := len(w.allowed), w.do("CL.WINDOW k 1000000 3600 0").([]any)[2].(int64)
			require.GreaterOrEqual(t, limit-int(left), allowed)
			require.LessOrEqual(t, limit-int(left), allowed+some, stopped)
		})
	}
}

// TestChargesOfASlowHub: a hub answers, and later than upstream-timeout. It counts each unit once: a charge comes again only
// after its connection.
func TestChargesOfASlowHub(t *testing.T) {
	for _, slow := range []time.Duration{60 * time.Millisecond, 150 * time.Millisecond, 300 * time.Millisecond} { // one way
		synctest.Test(t, func(t *testing.T) {
			const limit = 1_000_000
			w := newWorld(t, 1, 1, 1, account.Deny, "CL.WINDOW", "k", limit, 3600)
			defer w.close()
			w.sidecars[0].running.Load().sidecar.Configure(account.Settings{Lease: 1000, Keys: 1000, Interval: 100})
			nc := w.sidecars[0].connect()
			in := bufio.NewReader(nc)
			ask := func(d time.Duration) {
				for end := time.Now().Add(d); time.Now().Before(end); time.Sleep(10 * time.Millisecond) {
					require.True(t, w.sidecars[0].ask(nc, in))
				}
			}
			ask(time.Second)
			go w.sidecars[0].line.slowDown(slow, 10*time.Second)
			ask(15 * time.Second)
			time.Sleep(time.Second)
			require.NoError(t, nc.Close())
			left := w.do("CL.WINDOW k 1000000 3600 0").([]any)[2].(int64)
			require.Equal(t, len(w.allowed), limit-int(left), slow)
		})
	}
}

// TestChargesOfAnotherMode: the mode changes twice while the hub is slow. Requests that wait for a lease make no charge come again.
func TestChargesOfAnotherMode(t *testing.T) {
	for _, slow := range []time.Duration{150 * time.Millisecond, 450 * time.Millisecond} { // one way
		synctest.Test(t, func(t *testing.T) {
			w := newWorld(t, 1, 1, 1, account.Deny, "CL.WINDOW", "k", 1_000_000, 3600)
			defer w.close()
			sidecar := w.sidecars[0].running.Load().sidecar
			nc := w.sidecars[0].connect()
			in := bufio.NewReader(nc)
			ask := func(d time.Duration, interval int64) {
				sidecar.Configure(account.Settings{Lease: 1000, Keys: 1000, Interval: interval})
				for end := time.Now().Add(d); time.Now().Before(end); time.Sleep(10 * time.Millisecond) {
					w.sidecars[0].ask(nc, in)
				}
			}
			ask(time.Second, 100)
			go w.sidecars[0].line.slowDown(slow, 10*time.Second)
			ask(4*time.Second, 100)
			ask(2*time.Second, 0)
			ask(8*time.Second, 100)
			time.Sleep(5 * time.Second)
			require.NoError(t, nc.Close())
			f, _ := sidecar.Figures()
			require.Zero(t, f.Repeated, slow)
			require.Equal(t, f.Spent, f.Charged+f.Leased-f.Stranded, slow)
		})
	}
}
