package fs

import (
	"runtime"
	"sync"
	"sync/atomic"
)

// BlockingCall makes a call that waits for the disk, and lets all other goroutines run meanwhile. It exists for speed
// alone, and does nothing in a process with several processors. Such a process calls [BesideOthers].
//
// What it is: the Go runtime needs up to 10 ms to notice that a thread waits in the kernel. Only then does it give the
// thread's processor to another thread. If there is only one processor, no client is served until then. So BlockingCall
// gives the process a second processor during the call. A permanent second processor does not help, because it makes
// every round of the event loop slower.
//
// What it brings: while a call waits for 20 ms on a busy machine, the pause of another goroutine is half as long.
//
//	go test -run none -bench BesideBlockingCall ./persistence/fs
//
// What it must never do: change the result of a call, or wait long for the processor. If all goroutines wait for the
// call anyway, call the function directly: then a second processor only costs CPU. After the first call with an additional
// processor, the runtime no longer adapts the number of processors to the machine.
func BlockingCall(call func() error) error {
	if extra.usual.Load() > 1 {
		return call()
	}
	return extra.during(call)
}

// BesideOthers makes a call that computes for long and also waits for the disk, such as the writing of a snapshot. It gives
// the process one more processor meanwhile, however many it has. Otherwise such a call may have one of two processors, and an
// event loop that waits for clients the other one. Then the process reads no messages of other nodes for up to 10 ms.
func BesideOthers(call func() error) error { return extra.during(call) }

var extra = newExtraProcessor()

// extraProcessor gives a process one more processor while any call waits.
type extraProcessor struct {
	usual atomic.Int64 // how many processors the process has otherwise
	added atomic.Bool  // the additional one is there

	mu       sync.Mutex // guards calls and changing
	calls    int        // how many calls wait
	changing bool       // a goroutine changes the number of processors
}

// newExtraProcessor reads how many processors there are now.
func newExtraProcessor() *extraProcessor {
	p := new(extraProcessor)
	p.usual.Store(int64(runtime.GOMAXPROCS(0)))
	return p
}

// maxYields limits how often a call yields until the additional processor is there. The number of processors cannot change
// during a garbage collection, which takes seconds if there are millions of large values.
const maxYields = 8

func (p *extraProcessor) during(call func() error) error {
	p.count(+1)
	defer p.count(-1)
	for n := 0; n < maxYields && !p.added.Load(); n++ {
		runtime.Gosched()
	}
	return call()
}

// count adds to the number of waiting calls.
func (p *extraProcessor) count(more int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.calls += more; !p.changing && p.added.Load() != (p.calls > 0) {
		p.changing = true
		go p.change()
	}
}

// change sets the number of processors that the waiting calls need.
func (p *extraProcessor) change() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for want := p.calls > 0; want != p.added.Load(); want = p.calls > 0 {
		if want { // the runtime may have changed the number since the start
			p.usual.Store(int64(runtime.GOMAXPROCS(0)))
		}
		p.added.Store(false)
		n := int(p.usual.Load())
		if want {
			n++
		}
		p.mu.Unlock()
		runtime.GOMAXPROCS(n)
		p.mu.Lock()
		p.added.Store(want)
	}
	p.changing = false
}
