package cluster

import (
	"syscall"
	"testing"
	"time"

	"cellserver/internal/promisetest"

	"github.com/stretchr/testify/require"
)

// TestSidecarsOfOneHub runs the tests below at the same time, because they mostly wait.
func TestSidecarsOfOneHub(t *testing.T) {
	for name, run := range map[string]func(*testing.T){
		"the hub is lost": hubIsLost, "the hub is killed": hubIsKilled, "a bad network": badNetwork, "a sidecar is paused": sidecarIsPaused,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			run(t)
		})
	}
}

// hubIsLost: a hub stops for three seconds. Units that are leased already last until their end, and then upstream-lost
// decides. Two sidecars ask for more than the limit of 400 a second.
func hubIsLost(t *testing.T) {
	const stopped = 3 * time.Second
	for lost, one := range map[string]struct {
		promise     promisetest.Promise
		least, most int // without the hub from the second second on; most is for two seconds
	}{
		"deny":  {promisetest.Bucket(400, 400, time.Second), 0, 0},
		"local": {promisetest.Bucket(2*400, 2*400, time.Second), 400, 1800},
		"allow": {promisetest.Bucket(1<<20, 1, time.Second), 1000, 2500},
	} {
		t.Run(lost, func(t *testing.T) {
			t.Parallel()
			hub := alone(t)
			c := hub.beside(2, "--upstream-lost", lost).crowd(5, 80, "CL.THROTTLE", "hot", 399, 400, 1)
			time.Sleep(2 * time.Second)
			hub.signal(0, syscall.SIGSTOP)
			from := time.Since(c.begun) + time.Second
			time.Sleep(stopped)
			hub.eventually("too few pass without the hub", func() bool { return c.between(from, time.Since(c.begun)) >= one.least })
			to := time.Since(c.begun)
			hub.signal(0, syscall.SIGCONT)
			c.leasesAgain(1500*time.Millisecond, time.Second, 300)
			c.end(t, one.promise)
			during, most := c.between(from, to), float64(one.most)*(to-from).Seconds()/2
			t.Logf("%d admitted in the last %s without the hub", during, (to - from).Round(time.Millisecond))
			require.LessOrEqual(t, float64(during), most)
		})
	}
}

// leasesAgain waits until the sidecars admit more than a number in some time. The time begins after a while at the earliest, and later
// if the machine is busy.
func (c *crowd) leasesAgain(after, within time.Duration, more int) {
	c.sidecars.t.Helper()
	begun := time.Since(c.begun) + after
	c.sidecars.eventually("the sidecars do not lease again", func() bool {
		now := time.Since(c.begun)
		return now-within >= begun && c.between(now-within, now) > more
	})
}

// hubIsKilled: kill -9 of a hub that is alone. It is started again with its log, and the limit holds.
func hubIsKilled(t *testing.T) {
	hub := alone(t, "--appendonly", "yes", "--appendfsync", "always")
	c := hub.beside(3).crowd(3, 80, "CL.WINDOW", "hot", 600, 2, "ALIGN")
	for range 3 {
		time.Sleep(1500 * time.Millisecond)
		hub.kill(0)
		time.Sleep(300 * time.Millisecond)
		hub.run(0)
		hub.await(0)
	}
	c.leasesAgain(0, 2*time.Second, 400)
	c.end(t, promisetest.Aligned(600, 2*time.Second, time.Duration(c.begun.UnixNano())%(2*time.Second)))
}

// badNetwork: a network that delays bytes, holds them back, and breaks connections.
func badNetwork(t *testing.T) {
	hub := alone(t)
	between := newProxy(t, hub.nodes[0].addr())
	behind := &processes{t: t, nodes: []*node{{host: "127.0.0.1", port: between.port()}}}
	c := behind.beside(3).crowd(3, 80, "CL.THROTTLE", "hot", 199, 400, 1)
	for _, fault := range []func(){
		func() {},
		func() { between.slow(20 * time.Millisecond) },
		func() { between.cut(1500 * time.Millisecond) },
		between.reset,
		func() { between.slow(120 * time.Millisecond) }, // longer than upstream-timeout
		func() { between.slow(0) },
		func() { between.cut(500 * time.Millisecond); between.reset() },
	} {
		fault()
		time.Sleep(2 * time.Second)
	}
	c.leasesAgain(0, time.Second, 300)
	c.end(t, promisetest.Bucket(200, 400, time.Second))
}

// sidecarIsPaused: after a pause that is longer than a lease no unit of it is left, and a restart loses what was held.
func sidecarIsPaused(t *testing.T) {
	hub := alone(t)
	s := hub.beside(2)
	c := s.crowd(4, 80, "CL.LOG", "hot", 1000, 2)
	for range 4 {
		time.Sleep(700 * time.Millisecond)
		s.pause(0, 1500*time.Millisecond)
		s.kill(1)
		s.run(1)
		s.await(1)
	}
	c.end(t, promisetest.AnyPeriod(1000, 2*time.Second))
}
