package transport

import "sync/atomic"

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
