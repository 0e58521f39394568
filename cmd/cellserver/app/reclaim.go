package app

import (
	"runtime/debug"
	"runtime/metrics"
)

// reclaimer gives memory back to the system that values have given up. Serving throttles
// allocates nothing, so nothing would make the collector run: without this, the room of
// strings and sorted sets that have expired stays for minutes. Cells need none of it.
type reclaimer struct {
	resident, used int64 // bytes of the heap and of the values, as of the last collection
}

// spareHeap is how many bytes of garbage are not worth a collection; a quarter of what
// the values take comes on top.
const spareHeap = 32 << 20

// due reports whether a heap of so many resident bytes, with values that take used of
// them, is worth a collection: what else there is, is taken to be as large as it was
// after the last one.
func (r *reclaimer) due(resident, used int64) bool {
	live := r.resident + used - r.used
	return resident-live > spareHeap+used/4
}

// collect runs the collector and returns free memory to the system.
func (r *reclaimer) collect(used int64) {
	debug.FreeOSMemory()
	r.resident, r.used = residentHeap(), used
}

// reclaim is one look.
func (r *reclaimer) reclaim(used int64) {
	if r.due(residentHeap(), used) {
		r.collect(used)
	}
}

// residentHeap is the memory that the heap holds of the system: objects, garbage among
// them, and what is free and not yet given back.
func residentHeap() (n int64) {
	samples := [...]metrics.Sample{
		{Name: "/memory/classes/heap/objects:bytes"},
		{Name: "/memory/classes/heap/unused:bytes"},
		{Name: "/memory/classes/heap/free:bytes"},
	}
	metrics.Read(samples[:])
	for _, s := range samples {
		n += int64(s.Value.Uint64())
	}
	return n
}
