package carrier

import (
	"sync"
	"time"

	"github.com/hashicorp/raft"
)

// A pause after a failed pipeline. Each failure doubles it.
const (
	firstPause = 100 * time.Millisecond
	lastPause  = 5 * time.Second
)

// maxPauses is the most addresses that have pauses. A cluster has fewer nodes.
const maxPauses = 1024

// pauses are the times in which no pipeline to an address begins.
type pauses struct {
	mu sync.Mutex                    // guards the map below
	of map[raft.ServerAddress]*pause // of the addresses whose newest pipeline failed
}

// pause is the newest pause of an address.
type pause struct {
	length time.Duration
	lasts  bool
}

// begin begins a pause. It reports whether this is the first failure in a row.
func (p *pauses) begin(to raft.ServerAddress) (first bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.of) >= maxPauses {
		clear(p.of)
	}
	length := firstPause
	if one := p.of[to]; one != nil {
		length = min(2*one.length, lastPause)
	} else {
		first = true
	}
	one := &pause{length: length, lasts: true} // a new value: the timer of an earlier pause must not end this one
	p.of[to] = one
	time.AfterFunc(length, func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		one.lasts = false
	})
	return first
}

// last reports whether a pause of an address lasts at this moment.
func (p *pauses) last(to raft.ServerAddress) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	one := p.of[to]
	return one != nil && one.lasts
}

// forget forgets the failures of an address.
func (p *pauses) forget(to raft.ServerAddress) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.of, to)
}
