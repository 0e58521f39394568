package group_test

import (
	"slices"
	"time"

	"cellserver/cluster/clustertest"

	"github.com/stretchr/testify/require"
)

// fault is one kind of fault. It strikes a machine for a time.
type fault struct {
	name   string
	strike func(w *world, m *clustertest.Machine, lasts time.Duration)
}

// The faults that some tests make alone.
const (
	isolated = "isolated"
	readers  = "cut off with readers"
	toAndFro = "to and fro"
	noPower  = "all lost power"

	diskHangs = "disk hung"
	diskLost  = "disk lost"
)

var allFaults = []fault{
	{isolated, func(w *world, m *clustertest.Machine, lasts time.Duration) {
		w.Network.Isolate(m.Addr(), true)
		time.Sleep(lasts)
		w.Network.Isolate(m.Addr(), false)
	}},
	{"cut one way", func(w *world, m *clustertest.Machine, lasts time.Duration) {
		other := w.Machines[w.random.IntN(len(w.Machines))]
		w.Network.Cut(m.Addr(), other.Addr(), true)
		time.Sleep(lasts)
		w.Network.Cut(m.Addr(), other.Addr(), false)
	}},
	{"killed", func(w *world, m *clustertest.Machine, lasts time.Duration) {
		require.NoError(w.t, m.Kill())
		time.Sleep(lasts)
		require.NoError(w.t, m.Restart())
	}},
	{"power lost", func(w *world, m *clustertest.Machine, lasts time.Duration) {
		require.NoError(w.t, m.PowerCut(w.random))
		time.Sleep(lasts)
		require.NoError(w.t, m.Restart())
	}},
	{noPower, func(w *world, _ *clustertest.Machine, lasts time.Duration) {
		for _, m := range w.Machines {
			require.NoError(w.t, m.PowerCut(w.random))
		}
		time.Sleep(lasts)
		for _, m := range w.Machines {
			require.NoError(w.t, m.Restart())
		}
	}},
	{"disk full", func(w *world, m *clustertest.Machine, lasts time.Duration) {
		m.FillDisk(true)
		time.Sleep(lasts)
		require.NoError(w.t, m.Kill())
		m.FillDisk(false)
		require.NoError(w.t, m.Restart())
	}},
	{diskHangs, func(w *world, m *clustertest.Machine, lasts time.Duration) {
		m.HangDisk(true)
		time.Sleep(lasts)
		m.HangDisk(false)
	}},
	{diskLost, func(w *world, m *clustertest.Machine, lasts time.Duration) { w.loseDisk(m, lasts/2) }},
	{"stopped", func(w *world, m *clustertest.Machine, lasts time.Duration) {
		require.NoError(w.t, m.Stop())
		time.Sleep(lasts)
		require.NoError(w.t, m.Restart())
	}},
	{"paused", func(w *world, m *clustertest.Machine, lasts time.Duration) {
		m.Pause(true)
		time.Sleep(lasts)
		m.Pause(false)
	}},
	{"gave way", func(_ *world, m *clustertest.Machine, _ time.Duration) {
		if n := m.Group(); n != nil {
			_ = n.GiveWay("") // one that does not lead refuses
		}
	}},
	{"snapshot", func(_ *world, m *clustertest.Machine, _ time.Duration) {
		if n := m.Group(); n != nil {
			_ = n.TakeSnapshot() // one that has nothing new refuses
		}
	}},
	{"bad network", func(w *world, _ *clustertest.Machine, lasts time.Duration) {
		w.Network.SetFaults(clustertest.Faults{Delay: lasts / 20, Lost: 0.05, Duplicated: 0.1, Late: lasts / 2})
		time.Sleep(2 * lasts)
		w.Network.SetFaults(clustertest.Faults{})
	}},
	{"clock jumped", func(w *world, m *clustertest.Machine, _ time.Duration) {
		m.SetSkew(time.Duration(w.random.Int64N(int64(800*time.Millisecond))) - 400*time.Millisecond)
	}},
	{readers, func(w *world, m *clustertest.Machine, _ time.Duration) {
		w.Network.Slow(m.Addr(), 450*time.Millisecond)
		w.cutOff(m)
		time.Sleep(time.Second) // what was written before is committed
		w.Network.Isolate(m.Addr(), true)
		time.Sleep(2 * time.Second)
		w.Network.Isolate(m.Addr(), false)
		w.Network.Slow(m.Addr(), 0)
		w.cutOff(nil)
	}},
	{toAndFro, func(w *world, _ *clustertest.Machine, lasts time.Duration) { w.toAndFro(w.Leader(), lasts/10) }},
}

// makeFaults makes one fault after the other until the world ends: one kind, or all kinds. One kind strikes leaders only.
func (w *world) makeFaults(o worldOptions) {
	kinds := allFaults
	if o.only != "" {
		kinds = slices.DeleteFunc(slices.Clone(kinds), func(f fault) bool { return f.name != o.only })
	}
	for !w.stopped() {
		time.Sleep(time.Duration(w.random.Int64N(int64(1200 * time.Millisecond))))
		f := kinds[w.random.IntN(len(kinds))]
		m := w.Machines[w.random.IntN(len(w.Machines))]
		if o.only != "" || w.random.IntN(2) == 0 {
			m = w.Leader()
		}
		w.count(f.name)
		w.wakeClients()
		time.Sleep(time.Duration(w.random.Int64N(int64(longestPause)))) // steps of some clients are on their way
		f.strike(w, m, time.Duration(w.random.Int64N(int64(3*time.Second))))
		w.wakeClients()
		if w.random.IntN(o.faultsPerComparison()) == 0 {
			w.count("compared")
			w.compare()
		}
		w.progress()
	}
}

// faultsPerComparison returns how many faults happen between two comparisons of the stores, on average. In a mixed world, only
// comparisons find errors. Other worlds have comparisons, too, because a restart may remove the difference of a store.
func (o worldOptions) faultsPerComparison() int {
	if o.mixed {
		return 2
	}
	return 10
}

// toAndFro lets another machine lead for a moment, while the proposer of the leader makes no progress.
func (w *world) toAndFro(m *clustertest.Machine, lasts time.Duration) {
	w.stall.Store(int64(3 * time.Second))
	time.Sleep(20 * time.Millisecond) // the leader meets the stall first
	defer w.stall.Store(0)
	for _, other := range w.Machines {
		n, o := m.Group(), other.Group()
		if other == m || n == nil || o == nil || n.GiveWay(other.Self.ID) != nil {
			continue
		}
		time.Sleep(300*time.Millisecond + lasts)
		if o.GiveWay(m.Self.ID) == nil {
			w.count("led again")
			time.Sleep(3 * time.Second)
		}
		return
	}
}

// loseDisk makes a machine lose its disk after a half of the others has lagged behind. Then the other half is cut
// off, so the lagging nodes and the vote of the empty machine would be a majority.
func (w *world) loseDisk(m *clustertest.Machine, lasts time.Duration) {
	if !w.joining.CompareAndSwap(false, true) {
		return // the other half may have the only copies
	}
	var others []*clustertest.Machine
	for _, other := range w.Machines {
		if other != m {
			others = append(others, other)
		}
	}
	half := len(others) / 2
	w.isolate(others[:half], true)
	w.wakeClients()
	time.Sleep(lasts)
	require.NoError(w.t, m.Kill())
	m.LoseDisk()
	require.NoError(w.t, m.Restart())
	w.isolate(others[:half], false)
	w.isolate(others[half:], true)
	w.wakeClients()
	time.Sleep(2*time.Second + lasts)
	w.isolate(others[half:], false)
	w.faults.Go(func() {
		defer w.joining.Store(false)
		for w.Meet(m) != nil { // other faults go on
			time.Sleep(100 * time.Millisecond)
		}
	})
}

func (w *world) isolate(all []*clustertest.Machine, isolated bool) {
	for _, m := range all {
		w.Network.Isolate(m.Addr(), isolated)
	}
}

// Heal ends all faults.
func (w *world) Heal() {
	w.Network.Heal()
	for _, m := range w.Machines {
		m.Pause(false)
	}
}
