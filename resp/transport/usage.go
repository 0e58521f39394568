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
