package peer

import (
	"time"

	"github.com/hashicorp/raft"
)

// Commits returns the last index that is committed, if this node leads in a term of Raft; otherwise 0. It
// reads the index first, and then the term.
type Commits func(term uint64) uint64

// restFor is the pause after the last answer to entries. Then the follower learns what is committed. Raft
// tells it with the next entries, and without any after up to two CommitTimeouts. So long, a follower would
// show old keys.
const restFor = 2 * time.Millisecond

// rest is the pause of a pipeline.
type rest struct {
	now bool // the timer of the pipeline measures the pause
	// missed counts the pauses that a request ended after the timer had fired, and before timeUp ran.
	missed int
	// last is a request without entries that fits behind the last answered one. It has the same commit index.
	last raft.AppendEntriesRequest
}

// note notes a request that the follower has answered with success.
func (r *rest) note(args *raft.AppendEntriesRequest) {
	r.last = *args
	r.last.Entries = nil
	if n := len(args.Entries); n > 0 {
		r.last.PrevLogEntry, r.last.PrevLogTerm = args.Entries[n-1].Index, args.Entries[n-1].Term
	}
}

// end ends a pause because a request is sent. active says that the timer had not fired.
func (r *rest) end(active bool) {
	if r.now && !active {
		r.missed++
	}
	r.now = false
}

// tellCommit sends a request without entries if the follower does not know the last commit. It sends nothing
// while a request is on its way, which tells it. The request has the term of the last one. A node that leads
// no more sends nothing: what it has applied since may be other entries than the follower has.
func (p *pipeline) tellCommit() {
	if !p.hold() {
		return
	}
	defer p.release()
	p.mu.Lock()
	flying, args := p.flying, p.rest.last
	p.mu.Unlock()
	commit := min(p.commits(args.Term), args.PrevLogEntry)
	if flying > 0 || commit <= args.LeaderCommitIndex {
		return // Raft tells it
	}
	args.LeaderCommitIndex = commit
	// After an error the pipeline has ended.
	_ = p.send(&request{args: &args, answer: new(raft.AppendEntriesResponse), own: true})
}
