package app

import (
	"runtime/debug"
	"runtime/metrics"
)

// reclaimer gives the memory of removed strings and sorted sets, and of clients that left, back to the
// system. The garbage collector alone would keep it for minutes: CL.THROTTLE allocates nothing, so it does
// not start a collection. Cells live outside the heap.
type reclaimer struct {
	resident, used int64 // bytes of the heap and of the values, after the last collection
	unused         int64 // bytes of resident that are no objects
	cycles         int64 // collections so far, those that Go has begun included
	collected      int64 // monotonic time of the last collection
	took           int64 // nanoseconds of the last collection of the reclaimer
	activity       int64 // of clients, at the last collection of the reclaimer
	seen           int64 // activity of clients at the last call of reclaim, a second ago
}

// A collection is justified by more than spareHeap bytes of garbage and a quarter of the bytes of the
// values. After a second without clients, spareQuiet bytes and a sixteenth are enough.
const (
	spareHeap  = 32 << 20
	spareQuiet = 4 << 20
)

// A collection also finds out how much besides the values still lives. It is repeated after verifyEvery
// nanoseconds, and takes at most one part in verifyShare of the time.
const (
	verifyEvery = int64(5e9)
	verifyShare = 20
)

// heap has the runtime's numbers about the heap, in bytes.
type heap struct {
	resident int64 // objects, garbage, and free memory that the system does not have back yet
	live     int64 // objects that lived at the last collection
	cycles   int64 // collections
}

// due reports whether the garbage of the heap justifies a collection. resident is the number of resident
// bytes of the heap. used is the number of bytes of the values.
func (r *reclaimer) due(resident, used int64) bool {
	return r.garbage(resident, used) > spareHeap+used/4
}

// garbage estimates the bytes of garbage. It assumes that all live objects but the values are as large as
// after the last collection.
func (r *reclaimer) garbage(resident, used int64) int64 {
	return resident - (r.resident + used - r.used)
}

// quiet reports whether no client has done anything for a second, and the garbage justifies a collection.
func (r *reclaimer) quiet(now, resident, used, activity int64) bool {
	return activity == r.seen && r.garbage(resident, used) > spareQuiet+used/16 && now-r.collected >= verifyShare*r.took
}

// stale reports whether a collection must verify the estimate of garbage. This is so if the objects besides
// the values are large, and clients have been active since the last collection.
func (r *reclaimer) stale(now, used, activity int64) bool {
	return r.resident-r.used > spareHeap+used/4 && activity != r.activity && now-r.collected >= max(verifyEvery, verifyShare*r.took)
}

// collect runs the collector and returns free memory to the system.
func (r *reclaimer) collect(used int64) {
	debug.FreeOSMemory()
	h := readHeap()
	r.resident, r.used, r.cycles, r.unused = h.resident, used, h.cycles, h.resident-h.live
}

// reclaim collects if a collection is due. now is the monotonic clock. used is the bytes of the values;
// activity changes whenever clients do something.
func (r *reclaimer) reclaim(now func() int64, used, activity int64) {
	h, begun := readHeap(), now()
	if h.cycles != r.cycles { // Go has collected by itself
		r.resident, r.used, r.cycles, r.collected = h.live+r.unused, used, h.cycles, begun
	}
	worth := r.due(h.resident, used) || r.stale(begun, used, activity) || r.quiet(begun, h.resident, used, activity)
	if r.seen = activity; !worth {
		return
	}
	r.collect(used)
	r.collected, r.activity = now(), activity
	r.took = r.collected - begun
}

func readHeap() heap {
	samples := [...]metrics.Sample{
		{Name: "/memory/classes/heap/objects:bytes"},
		{Name: "/memory/classes/heap/unused:bytes"},
		{Name: "/memory/classes/heap/free:bytes"},
		{Name: "/gc/heap/live:bytes"},
		{Name: "/gc/cycles/total:gc-cycles"},
	}
	metrics.Read(samples[:])
	at := func(i int) int64 { return int64(samples[i].Value.Uint64()) }
	return heap{resident: at(0) + at(1) + at(2), live: at(3), cycles: at(4)}
}
