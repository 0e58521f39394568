package resp

import "sync/atomic"

// Traffic counts what passed through connections, in bytes and in system calls.
type Traffic struct{ Input, Output, Reads, Writes int64 }

// traffic adds up what passes through all connections.
type traffic struct {
	next   atomic.Uint32
	meters [16]meter
}

// meter counts for some of the connections, apart from the others' so that they do not
// wait for each other.
type meter struct {
	input, output, reads, writes atomic.Int64
	_                            [96]byte // keeps neighbours off one cache line
}

// meter returns the one that a new connection shall use.
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
