package cluster

import (
	"net"
	"time"

	"cellserver/internal/topology"
	"cellserver/store"
)

// Epoch implements [commands.Topology].
func (m *Member) Epoch() uint64 { return m.group.Load().Epoch() }

// View implements [commands.Topology].
func (m *Member) View() *topology.View { return m.vitals.overlay(m.group.Load().View()) }

// Publish implements [commands.Topology].
func (m *Member) Publish(shard bool, channel, message []byte) {
	m.sender.Publish(shard, channel, message)
}

// NewScripts sends the scripts that are new to the other nodes. It does not wait.
func (m *Member) NewScripts() { m.sender.NewScripts() }

// Now returns the time for commands in Unix nanoseconds.
func (m *Member) Now() int64 { return m.group.Load().Now() }

// Horizon returns the time up to which this node may remove expired keys by itself, in Unix nanoseconds.
func (m *Member) Horizon() int64 { return m.group.Load().Horizon() }

// Committed implements [store.Observer].
func (m *Member) Committed(tx *store.Tx, effects []store.Effect) {
	m.group.Load().Committed(tx, effects)
}

// Begun implements [server.Positions].
func (m *Member) Begun() uint64 { return m.group.Load().Begun() }

// ReadsWait implements [server.Positions]: replies that only show keys wait, too.
func (m *Member) ReadsWait() bool { return true }

// Mark implements [transport.Barrier] and [server.Positions].
func (m *Member) Mark() uint64 { return m.group.Load().Mark() }

// Wait implements [transport.Barrier].
func (m *Member) Wait(mark uint64) bool { return m.group.Load().Wait(mark) }

// Later implements [transport.Barrier].
func (m *Member) Later(need, mark uint64, done func(safe bool)) (safe, now bool) {
	return m.group.Load().Later(need, mark, done)
}

// Gather implements [transport.Gatherer].
func (m *Member) Gather() (again time.Duration) { return m.group.Load().Gather() }

// Memory returns the bytes of the changes that no majority has confirmed yet.
func (m *Member) Memory() int64 { return m.group.Load().Memory() }

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

// OpenSentinel says at which ports clients in Sentinel mode are served. Call it before Serve.
func (m *Member) OpenSentinel(ports topology.Ports) { m.o.Sentinel = ports }

// Forwards returns a listener of the clients that other nodes pass on. Its connections have the address of
// the client.
func (m *Member) Forwards() (net.Listener, error) { return m.port.Forwards() }

// PassOn relays a client to the leader until either ends, and closes its connection.
func (m *Member) PassOn(client net.Conn) { m.proxy.Serve(client) }
