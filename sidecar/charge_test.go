package sidecar_test

import (
	"bufio"
	"net"
	"testing"
	"testing/synctest"
	"time"

	"cellserver/sidecar/account"

	"github.com/stretchr/testify/require"
)

// asking is a world of one hub, one sidecar and one client, which asks again and again for a unit of one window.
type asking struct {
	*world
	nc net.Conn
	in *bufio.Reader
}

func newAsking(t *testing.T, limit int) *asking {
	a := &asking{world: newWorld(t, 1, 1, 1, account.Deny, "CL.WINDOW", "k", limit, 3600)}
	a.nc = a.sidecars[0].connect()
	a.in = bufio.NewReader(a.nc)
	return a
}

// The modes of the sidecar.
var (
	inReport = account.Settings{Lease: 1000, Keys: 1000, Interval: 100}
	inExact  = account.Settings{Lease: 1000, Keys: 1000}
)

// ask asks every 10 ms, for a time, while the sidecar is in a mode. It reports whether each question has an answer.
func (a *asking) ask(d time.Duration, mode account.Settings) bool {
	all := true
	a.sidecars[0].running.Load().sidecar.Configure(mode)
	for end := time.Now().Add(d); time.Now().Before(end); time.Sleep(10 * time.Millisecond) {
		all = a.sidecars[0].ask(a.nc, a.in) && all
	}
	return all
}

// TestChargesOfAStoppedHub: a hub stops for a while, in the mode report. When it goes on, it counts all charges that wait for
// it. So the sidecar repeats none while the hub is lost, whenever that ends.
func TestChargesOfAStoppedHub(t *testing.T) {
	for stopped := 10 * time.Second; stopped < 11*time.Second; stopped += 100 * time.Millisecond {
		synctest.Test(t, func(t *testing.T) {
			const limit, some = 1_000_000, 300 // some charges are repeated before the hub is lost
			w := newAsking(t, limit)
			defer w.close()
			require.True(t, w.ask(5*time.Second, inReport))
			go w.stop(w.hub.Machines[0], stopped)
			require.True(t, w.ask(stopped+time.Second, inReport))
			time.Sleep(5 * time.Second)
			require.NoError(t, w.nc.Close())
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
			w := newAsking(t, limit)
			defer w.close()
			require.True(t, w.ask(time.Second, inReport))
			go w.sidecars[0].line.slowDown(slow, 10*time.Second)
			require.True(t, w.ask(15*time.Second, inReport))
			time.Sleep(time.Second)
			require.NoError(t, w.nc.Close())
			left := w.do("CL.WINDOW k 1000000 3600 0").([]any)[2].(int64)
			require.Equal(t, len(w.allowed), limit-int(left), slow)
		})
	}
}

// TestChargesOfAnotherMode: the mode changes twice while the hub is slow. Requests that wait for a lease make no charge come again.
func TestChargesOfAnotherMode(t *testing.T) {
	for _, slow := range []time.Duration{150 * time.Millisecond, 450 * time.Millisecond} { // one way
		synctest.Test(t, func(t *testing.T) {
			w := newAsking(t, 1_000_000)
			defer w.close()
			w.ask(time.Second, inReport)
			go w.sidecars[0].line.slowDown(slow, 10*time.Second)
			w.ask(4*time.Second, inReport)
			w.ask(2*time.Second, inExact)
			w.ask(8*time.Second, inReport)
			time.Sleep(5 * time.Second)
			require.NoError(t, w.nc.Close())
			f, _ := w.sidecars[0].running.Load().sidecar.Figures()
			require.Zero(t, f.Repeated, slow)
			require.Equal(t, f.Spent, f.Charged+f.Leased-f.Stranded, slow)
		})
	}
}
