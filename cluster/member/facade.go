package member

import (
	"time"

	"cellserver/internal/topology"
	"cellserver/store"
)

// Epoch implements [commands.Topology].
func (m *Member) Epoch() uint64 {
	if n := m.node.Load(); n != nil {
		return n.Epoch()
	}
	return 0
}

// View implements [commands.Topology].
func (m *Member) View() *topology.View {
	if n := m.node.Load(); n != nil {
		return m.vitals.overlay(n.View())
	}
	return m.outside
}

// Publish implements [commands.Topology].
func (m *Member) Publish(channel, message []byte) { m.sender.Publish(channel, message) }

// Now returns the time for commands in Unix nanoseconds.
func (m *Member) Now() int64 {
	if n := m.node.Load(); n != nil {
		return n.Now()
	}
	return m.o.Clock.Now()
}

// Horizon returns the time up to which this node may remove expired keys by itself, in Unix nanoseconds.
func (m *Member) Horizon() int64 {
	if n := m.node.Load(); n != nil {
		return n.Horizon()
	}
	return 0
}

// Committed implements [store.Observer].
func (m *Member) Committed(tx *store.Tx, effects []store.Effect) {
	if n := m.node.Load(); n != nil {
		n.Committed(tx, effects)
	}
}

// Begun implements [server.Positions].
func (m *Member) Begun() uint64 {
	if n := m.node.Load(); n != nil {
		return n.Begun()
	}
	return 0
}

// ReadsWait implements [server.Positions].
func (m *Member) ReadsWait() bool { return true }

// Mark implements [transport.Barrier].
func (m *Member) Mark() uint64 {
	if n := m.node.Load(); n != nil {
		return n.Mark()
	}
	return 0
}

// Wait implements [transport.Barrier].
func (m *Member) Wait(mark uint64) bool {
	n := m.node.Load()
	return n == nil || n.Wait(mark)
}

// Later implements [transport.Barrier].
func (m *Member) Later(need, mark uint64, done func(safe bool)) (safe, now bool) {
	if n := m.node.Load(); n != nil {
		return n.Later(need, mark, done)
	}
	return true, true
}

// Gather implements [transport.Gatherer].
func (m *Member) Gather() (again time.Duration) {
	if n := m.node.Load(); n != nil {
		again = n.Gather()
	}
	return again
}

// Memory returns the bytes of the changes that no majority has confirmed yet.
func (m *Member) Memory() int64 {
	if n := m.node.Load(); n != nil {
		return n.Memory()
	}
	return 0
}

// Metrics implements [commands.Topology].
func (m *Member) Metrics() (numbers topology.Metrics) {
	d := m.disk() // before taking: the log of a later disk may not be open yet
	if n := m.taking(); n != nil {
		numbers = n.Metrics()
		numbers.LogBytes, numbers.LogGrows = d.logs.Size(), m.snapshots.failed.Load()
	}
	for _, skew := range m.vitals.skews() {
		numbers.Skew = max(numbers.Skew, skew.By, -skew.By)
	}
	numbers.Missed = m.sender.Dropped()
	return numbers
}
