package app

// Bounds of a time slice in nanoseconds. Its last step may end later.
const (
	sliceMost   = 1_500_000 // of a slice as long as the sweep keeps up
	sliceLimit  = 5_000_000 // of every slice
	sliceGrowth = 50_000    // of the longest slice, in each round that ends with work left
)

// timeSlice is how long a sweep goes on before other goroutines run. A slice is at least one step. After a
// long pause it is longer, so that the sweep has its part of the time. It is never longer than its bound.
//
// An event loop under full load runs until Go interrupts it, after ten milliseconds. With one processor,
// each pause then takes as long, and slices of one step would be a hundredth of the time. Clients that write
// new keys without end would fill the memory with expired keys.
type timeSlice struct {
	length, used int64
	most         int64 // the longest slice; 0: sliceMost
}

// use adds the time of a step, and reports whether the slice has ended.
func (s *timeSlice) use(took int64) (ended bool) {
	s.used += took
	return s.used >= s.length
}

// next begins the slice after a pause. part is the sweep's part of the time, in percent.
func (s *timeSlice) next(pause int64, part int) {
	s.used, s.length = 0, min(pause*int64(part)/int64(100-part), max(s.most, sliceMost))
}

// caughtUp allows short slices only, because the sweep keeps up.
func (s *timeSlice) caughtUp() { s.most = 0 }

// fellBehind allows longer slices, because the sweep does not keep up.
func (s *timeSlice) fellBehind() { s.most = min(max(s.most, sliceMost)+sliceGrowth, sliceLimit) }
