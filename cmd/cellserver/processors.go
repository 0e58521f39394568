package main

import (
	"os"
	"runtime"
)

// leastProcessors is how many processors Go uses at least. It gives itself two, too, if a control group allows
// only one. With a single one, its monitor takes it from each event loop that waits for clients, and looks for
// that thousands of times a second.
const leastProcessors = 2

// useProcessors gives Go leastProcessors. A variable GOMAXPROCS stays in force.
func useProcessors() {
	if os.Getenv("GOMAXPROCS") == "" && runtime.GOMAXPROCS(0) < leastProcessors {
		runtime.GOMAXPROCS(leastProcessors)
	}
}
