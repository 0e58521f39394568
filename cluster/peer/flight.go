package peer

import (
	"sync"
	"time"

	"github.com/hashicorp/raft"
)

// flight is the requests of a pipeline that wait for their answers.
type flight struct {
	mu     sync.Mutex // guards the fields below
	flying int
	late   *time.Timer // calls timeUp
	rest   rest
}

// flies counts a request that is sent. The timer begins with the first of them, and again with each answer.
func (p *pipeline) flies() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.flying++; p.flying == 1 {
		p.rest.end(p.late.Reset(p.timeout))
	}
}

// lands counts the answer to a request.
func (p *pipeline) lands(args *raft.AppendEntriesRequest, success bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if success {
		p.rest.note(args)
	}
	switch p.flying--; {
	case p.flying > 0:
		p.late.Reset(p.timeout)
	case success && len(args.Entries) > 0 && p.commits != nil:
		p.rest.now = true
		p.late.Reset(restFor)
	default:
		p.late.Stop()
	}
}

// timeUp ends the pipeline if an answer is late. After a rest it tells the follower what is committed.
func (p *pipeline) timeUp() {
	p.mu.Lock()
	missed, rested := p.rest.missed > 0, p.rest.now
	if missed {
		p.rest.missed-- // what the timer measures now is another wait
	} else {
		p.rest.now = false
	}
	p.mu.Unlock()
	switch {
	case missed:
	case rested:
		p.tellCommit()
	default:
		p.end(errLate)
	}
}
