package app

import "sync/atomic"

// traffic counts what passes through all connections.
type traffic struct {
	now    atomic.Int64 // monotonic time of the last background round: precise enough for idleness
	next   atomic.Uint32
	meters [16]meter
}

// meter counts for some of the connections, apart from the others' so that they do not
// wait for each other.
type meter struct {
	input, output, reads, writes atomic.Int64 // bytes and operations
	_                            [96]byte     // keeps neighbours off one cache line
}

// meter returns the one that a new connection shall use.
func (t *traffic) meter() *meter { return &t.meters[t.next.Add(1)%uint32(len(t.meters))] }
