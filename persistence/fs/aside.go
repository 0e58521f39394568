package fs

import (
	"runtime"
	"sync"
)

// waits counts the calls that wait for the disk.
var waits struct {
	mu   sync.Mutex
	now  int
	lent bool // there is a processor more for them
}

// aside makes a call that waits for the disk. The runtime notices within 10 ms, not at once, that a thread waits in the
// system, and only then gives its processor to another: where that is the only one, nobody is served until then. So there
// are two meanwhile. They are not two for good, for that makes every turn of the event loop dearer.
func aside(call func() error) error {
	lend()
	defer giveBack()
	return call()
}

func lend() {
	waits.mu.Lock()
	defer waits.mu.Unlock()
	if waits.now++; waits.now == 1 && runtime.GOMAXPROCS(0) == 1 {
		runtime.GOMAXPROCS(2)
		waits.lent = true
	}
}

// giveBack lets those go first whose processor it is.
func giveBack() {
	waits.mu.Lock()
	if waits.now--; waits.now == 0 && waits.lent {
		runtime.GOMAXPROCS(1)
		waits.lent = false
	}
	waits.mu.Unlock()
	runtime.Gosched()
}
