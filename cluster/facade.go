package cluster

import (
	"time"

	"cellserver/internal/topology"
	"cellserver/store"
)

// Epoch implements [commands.Topology].
func (m *Member) Epoch() uint64 {
	if g := m.group.Load(); g != nil {
		return g.Epoch()
	}
	return 0
}

// View implements [commands.Topology].
func (m *Member) View() *topology.View {
	if g := m.group.Load(); g != nil {
		return m.vitals.overlay(g.View())
	}
	return m.outside
}

// Publish implements [commands.Topology].
func (m *Member) Publish(channel, message []byte) { m.sender.Publish(channel, message) }

// Now returns the time for commands in Unix nanoseconds.
func (m *Member) Now() int64 {
	if g := m.group.Load(); g != nil {
		return g.Now()
	}
	return m.o.Clock.Now()
}

// Horizon returns the time up to which this node may remove expired keys by itself, in Unix nanoseconds.
func (m *Member) Horizon() int64 {
	if g := m.group.Load(); g != nil {
		return g.Horizon()
	}
	return 0
}

// Committed implements [store.Observer].
func (m *Member) Committed(tx *store.Tx, effects []store.Effect) {
	if g := m.group.Load(); g != nil {
		g.Committed(tx, effects)
	}
}

// Begun implements [server.Positions].
func (m *Member) Begun() uint64 {
	if g := m.group.Load(); g != nil {
		return g.Begun()
	}
	return 0
}

// ReadsWait implements [server.Positions].
func (m *Member) ReadsWait() bool { return true }

// Mark implements [transport.Barrier].
func (m *Member) Mark() uint64 {
	if g := m.group.Load(); g != nil {
		return g.Mark()
	}
	return 0
}

// Wait implements [transport.Barrier].
func (m *Member) Wait(mark uint64) bool {
	g := m.group.Load()
	return g == nil || g.Wait(mark)
}

// Later implements [transport.Barrier].
func (m *Member) Later(need, mark uint64, done func(safe bool)) (safe, now bool) {
	if g := m.group.Load(); g != nil {
		return g.Later(need, mark, done)
	}
	return true, true
}

// Gather implements [transport.Gatherer].
func (m *Member) Gather() (again time.Duration) {
	if g := m.group.Load(); g != nil {
		again = g.Gather()
	}
	return again
}

// Memory returns the bytes of the changes that no majority has confirmed yet.
func (m *Member) Memory() int64 {
	if g := m.group.Load(); g != nil {
		return g.Memory()
	}
	return 0
}

// Metrics implements [commands.Topology].
func (m *Member) Metrics() (numbers topology.Metrics) {
	d := m.disk() // before taking: the log of a later disk may not be open yet
	if g := m.taking(); g != nil {
		numbers = g.Metrics()
		numbers.LogBytes, numbers.LogGrows = d.logs.Size(), m.snapshots.failed.Load()
	}
	for _, skew := range m.vitals.skews() {
		numbers.Skew = max(numbers.Skew, skew.By, -skew.By)
	}
	numbers.Missed = m.sender.Dropped()
	return numbers
}
