package app

import (
	"math"
	"runtime/debug"
)

// heapLimit makes the collector run early when the process nears maxmemory. Without it, garbage could take as much as all
// that lives. It is a soft limit: the collector takes at most half of the time, and memory is given nevertheless.
type heapLimit struct {
	set func(bytes int64) int64 // debug.SetMemoryLimit
	now int64                   // the limit that is set; 0: none yet
}

const (
	// heapRoom is what the heap may take besides the values, in bytes.
	heapRoom = 48 << 20
	// heapStep is the difference that justifies another limit, in bytes.
	heapStep = 4 << 20
)

// follow sets the limit. used is all that counts against maxMemory, ofHeap is the part of it in Go's heap, and live is what
// the last collection found. The limit is always above all that lives by a quarter, so the collector has not much to do.
func (l *heapLimit) follow(maxMemory, used, ofHeap, live int64) {
	limit := int64(math.MaxInt64)
	if maxMemory > 0 {
		most := max(ofHeap, live)
		limit = max(maxMemory-(used-ofHeap), most+most/4) + heapRoom
	}
	if l.now != 0 && limit/heapStep == l.now/heapStep {
		return
	}
	if l.set == nil {
		l.set = debug.SetMemoryLimit
	}
	l.set(limit)
	l.now = limit
}
