package app

import "runtime/debug"

// heapLimit makes the collector run early when the process nears maxmemory, or when scripts use their
// memory. Without the limit, garbage could take as much memory as all live objects. The limit is soft: the
// collector takes at most half of the processor time, and the heap may exceed the limit.
type heapLimit struct {
	set func(bytes int64) int64 // debug.SetMemoryLimit
	now int64                   // the limit that is set; 0: none yet
}

const (
	// heapRoom is what the heap may take besides the values, in bytes.
	heapRoom = 48 << 20
	// scriptRoom is what the heap may take besides the values and the memory of scripts, without maxmemory.
	scriptRoom = 4 << 20
	// heapStep is the difference that justifies another limit, in bytes.
	heapStep = 4 << 20
)

// scriptMemory is what scripts have made at most, with the garbage of those that have ended, and what they
// may make: script-memory-limit.
type scriptMemory struct{ made, limit int64 }

// follow sets the limit. used is all that counts against maxMemory, and ofHeap is the part of it in Go's
// heap. live is the size of the live heap after the last collection. The limit is always a quarter above
// what lives besides scripts, and has room for all that scripts may make. So the collector does not run all
// the time.
func (l *heapLimit) follow(maxMemory, used, ofHeap, live int64, s scriptMemory) {
	most := max(ofHeap, live-s.made)
	limit := most + most/4 + max(scriptRoom+s.limit, heapRoom)
	if maxMemory > 0 {
		limit = max(maxMemory-(used-ofHeap), most+most/4) + heapRoom
		if s.made > 0 {
			limit += s.limit
		}
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
