package fs

import (
	"runtime"
	"sync"
	"time"
)

// aside makes a call that waits for the disk. The runtime notices within 10 ms, not at once, that a thread waits in the
// system, and only then gives its processor to another: where that is the only one, nobody is served until then. So there
// are two meanwhile. They are not two for good, for that makes every turn of the event loop dearer. (From the first call
// on, the runtime does not adapt their number to the machine any more.)
func aside(call func() error) error { return spare.during(call) }

var spare = newLender()

// lender makes two processors of one while anybody borrows the second.
type lender struct {
	alone     bool // there is one
	mu        sync.Mutex
	borrowers int
	lent      bool
	setting   bool          // somebody is about to change that
	ready     chan struct{} // closed once it is lent
}

// newLender goes by how many processors there are now.
func newLender() *lender {
	return &lender{alone: runtime.GOMAXPROCS(0) == 1, ready: make(chan struct{})}
}

// patience is how long a call waits for its processor: their number cannot change while garbage is collected.
const patience = time.Millisecond

func (l *lender) during(call func() error) error {
	if !l.alone {
		return call()
	}
	ready := l.count(+1)
	defer l.count(-1)
	select {
	case <-ready:
	case <-time.After(patience):
	}
	return call()
}

// count notes that there are more borrowers or fewer.
func (l *lender) count(more int) (ready <-chan struct{}) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.borrowers += more; !l.setting && l.lent != (l.borrowers > 0) {
		l.setting = true
		go l.set()
	}
	return l.ready
}

// set makes the number of processors what it is to be.
func (l *lender) set() {
	l.mu.Lock()
	defer l.mu.Unlock()
	for want := l.borrowers > 0; want != l.lent; want = l.borrowers > 0 {
		n := 2
		if !want {
			n, l.ready = 1, make(chan struct{})
		}
		l.mu.Unlock()
		runtime.GOMAXPROCS(n)
		l.mu.Lock()
		if l.lent = want; want {
			close(l.ready)
		}
	}
	l.setting = false
}
