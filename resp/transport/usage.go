package transport

import "sync/atomic"

// usage is the memory and the traffic of a connection, for other goroutines to read.
type usage struct {
	clock  *atomic.Int64 // the time that Tick gave
	meter  *meter
	all    *memory // of all connections
	memory atomic.Int64
	active atomic.Int64 // time (Tick) of the last bytes
}

func (u *usage) begin(h *host) {
	u.clock, u.meter, u.all = &h.now, h.traffic.meter(), &h.memory
	u.touch()
}

// Memory returns the size of the session's buffers, in bytes, after its last batch.
func (u *usage) Memory() int { return int(u.memory.Load()) }

// Active returns the time of the last bytes in either direction, as [Server.Tick] gave it.
func (u *usage) Active() int64 { return u.active.Load() }

// received counts a read of n bytes; n is not 0.
func (u *usage) received(n int) {
	u.meter.reads.Add(1)
	u.meter.input.Add(int64(n))
	u.touch()
}

// sent counts a write of n bytes; n is not 0.
func (u *usage) sent(n int) {
	u.meter.writes.Add(1)
	u.meter.output.Add(int64(n))
	u.touch()
}

// touch records that the client is active. It rarely writes, because Tick is coarse.
func (u *usage) touch() {
	if now := u.clock.Load(); u.active.Load() != now {
		u.active.Store(now)
	}
}

// setMemory records the size of the session's buffers.
func (u *usage) setMemory(bytes int) {
	if before := u.memory.Load(); before != int64(bytes) {
		u.memory.Store(int64(bytes))
		u.all.change(int(before), bytes)
	}
}

// memoryStep is the step in bytes in which memory counts, because all processors share the counter. So short
// requests and replies do not change it.
const memoryStep = 16 << 10

// memory counts the bytes of the buffers and messages of all connections.
type memory struct{ total atomic.Int64 }

// change counts that a size in bytes has changed from before to now.
func (m *memory) change(before, now int) {
	if before, now = before/memoryStep, now/memoryStep; before != now {
		m.total.Add(int64(now-before) * memoryStep)
	}
}

// Traffic counts what passed through all connections since the start: bytes and system calls.
type Traffic struct{ Input, Output, Reads, Writes int64 }

// traffic counts for all connections. It is safe for concurrent use.
type traffic struct {
	next   atomic.Uint32
	meters [16]meter
}

// meter counts for some of the connections. Several meters keep processors from waiting for the same
// cache line.
type meter struct {
	input, output, reads, writes atomic.Int64
	_                            [96]byte // fills two cache lines
}

// meter returns the meter for a new connection.
func (t *traffic) meter() *meter { return &t.meters[t.next.Add(1)%uint32(len(t.meters))] }

func (t *traffic) sum() (all Traffic) {
	for i := range t.meters {
		m := &t.meters[i]
		all.Input += m.input.Load()
		all.Output += m.output.Load()
		all.Reads += m.reads.Load()
		all.Writes += m.writes.Load()
	}
	return all
}
