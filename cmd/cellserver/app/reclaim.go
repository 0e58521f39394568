package app

import (
	"runtime/debug"
	"runtime/metrics"
)

// reclaimer gives the memory of removed strings and sorted sets back to the system. The garbage collector alone would
// keep it for minutes, because CL.THROTTLE allocates nothing and so does not start a collection. Cells live outside the heap.
type reclaimer struct {
	resident, used int64 // bytes of the heap and of the values, after the last collection
}

// spareHeap is how many bytes of garbage do not justify a collection, besides a quarter of the bytes of the values.
const spareHeap = 32 << 20

// due reports whether the garbage of the heap justifies a collection. The heap has so many resident bytes, and the values
// use some of them. due assumes that all other live objects are as large as after the last collection.
func (r *reclaimer) due(resident, used int64) bool {
	live := r.resident + used - r.used
	return resident-live > spareHeap+used/4
}

// collect runs the collector and returns free memory to the system.
func (r *reclaimer) collect(used int64) {
	debug.FreeOSMemory()
	r.resident, r.used = residentHeap(), used
}

// reclaim collects if a collection is due. used is in bytes.
func (r *reclaimer) reclaim(used int64) {
	if r.due(residentHeap(), used) {
		r.collect(used)
	}
}

// residentHeap returns the bytes of the heap: objects, garbage, and free memory that the system does not have back yet.
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
