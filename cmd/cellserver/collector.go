package main

import (
	"os"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
)

const (
	// leastGarbage is how many bytes of garbage the heap may always have, even if the live heap is small.
	// Without it, a server with few keys and many scripts collects a hundred times a second.
	leastGarbage = 16 << 20
	// smallHeap is the smallest heap of Go at GOGC=100, in bytes.
	smallHeap = 4 << 20
	// usual is GOGC where more than leastGarbage lives.
	usual = 100
)

// percent returns GOGC for a heap with this number of live bytes.
func percent(live uint64) int {
	return int(max(usual, usual*leastGarbage/max(live, smallHeap)))
}

// paceCollector sets GOGC after each collection. A variable GOGC stays in force.
func paceCollector() {
	if os.Getenv("GOGC") == "" {
		followCollector(usual)
	}
}

// followCollector sets GOGC now, and again after the next collection. now is the value in force.
func followCollector(now int) {
	sample := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	metrics.Read(sample)
	if next := percent(sample[0].Value.Uint64()); next != now {
		debug.SetGCPercent(next)
		now = next
	}
	runtime.AddCleanup(new(sentinel), followCollector, now)
}

// sentinel is an object that the next collection finds dead. It is too large for the allocator that joins
// small objects.
type sentinel struct{ _ [32]byte }
