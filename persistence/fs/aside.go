package fs

import (
	"runtime"
	"sync"
	"sync/atomic"
)

// Aside makes a call that waits for the disk while others go on; whoever keeps everybody waiting for it anyway does
// better without. The runtime notices within 10 ms, not at once, that a thread waits in the
// system, and only then gives its processor to another: where that is the only one, nobody is served until then. So there
// are two meanwhile. They are not two for good, for that makes every turn of the event loop dearer. (From the first call
// on, the runtime does not adapt their number to the machine any more.)
func Aside(call func() error) error { return spare.during(call) }

var spare = newLender()

// lender makes two processors of one while anybody borrows the second.
type lender struct {
	alone     bool        // there is one
	lent      atomic.Bool // there are two
	mu        sync.Mutex
	borrowers int
	setting   bool // somebody is about to change their number
}

// newLender goes by how many processors there are now.
func newLender() *lender { return &lender{alone: runtime.GOMAXPROCS(0) == 1} }

// patience is how often a call lets others go first until there is a processor for it. Their number cannot change while
// garbage is collected, which takes seconds where there are millions of large values.
const patience = 8

func (l *lender) during(call func() error) error {
	if !l.alone {
		return call()
	}
	l.count(+1)
	defer l.count(-1)
	for n := 0; n < patience && !l.lent.Load(); n++ {
		runtime.Gosched()
	}
	return call()
}

// count notes that there are more borrowers or fewer.
func (l *lender) count(more int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.borrowers += more; !l.setting && l.lent.Load() != (l.borrowers > 0) {
		l.setting = true
		go l.set()
	}
}

// set makes the number of processors what it is to be.
func (l *lender) set() {
	l.mu.Lock()
	defer l.mu.Unlock()
	for want := l.borrowers > 0; want != l.lent.Load(); want = l.borrowers > 0 {
		l.lent.Store(false)
		n := 1
		if want {
			n = 2
		}
		l.mu.Unlock()
		runtime.GOMAXPROCS(n)
		l.mu.Lock()
		l.lent.Store(want)
	}
	l.setting = false
}
