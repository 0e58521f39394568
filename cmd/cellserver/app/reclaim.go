package app

import (
	"runtime/debug"
	"runtime/metrics"
)

// reclaimer gives memory back to the system that the store has given up. Serving
// throttles allocates nothing, so nothing would make the collector run: without this,
// the room of expired keys, and of tables that were laid out anew, stays for minutes.
type reclaimer struct {
	heap, used int64 // as of the last collection
}

// spareHeap is how many bytes of garbage are not worth a collection; an eighth of what
// the keys take comes on top.
const spareHeap = 32 << 20

// due reports whether a heap of so many bytes, with keys and values that take used of
// them, holds garbage enough to be collected. What is no key is taken to be as large as
// it was after the last collection.
func (r *reclaimer) due(heap, used int64) bool {
	live := r.heap + used - r.used
	return heap-live > spareHeap+used/8
}

// collect runs the collector and returns free memory to the system.
func (r *reclaimer) collect(used int64) {
	debug.FreeOSMemory()
	r.heap, r.used = heapBytes(), used
}

// reclaim is one look.
func (r *reclaimer) reclaim(used int64) {
	if r.due(heapBytes(), used) {
		r.collect(used)
	}
}

// heapBytes is the size of all objects on the heap, garbage included.
func heapBytes() int64 {
	sample := [1]metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
	metrics.Read(sample[:])
	return int64(sample[0].Value.Uint64())
}
