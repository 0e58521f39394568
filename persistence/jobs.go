package persistence

import (
	"errors"
	"slices"
	"sync"
	"sync/atomic"
)

// Job is what is written aside while clients are served.
type Job string

// The jobs. There is one at a time, as each takes a snapshot of the store.
const (
	NoJob      Job = ""
	SavingJob  Job = "rdb"
	RewriteJob Job = "aof"
)

// Errors of a job.
var (
	ErrBusy    = errors.New("something is being written already")
	errStopped = errors.New("stopped")
)

// jobs is the place for the one job.
type jobs struct {
	mu     sync.Mutex // guards what follows
	job    *job
	ended  *sync.Cond // of mu: the job has ended
	closed bool       // there will be no more
}

// job is one that runs.
type job struct {
	kind    Job
	begun   int64       // monotonic time
	stopped atomic.Bool // it shall end as soon as it can
}

// begin takes the place, or fails with [ErrBusy]; it waits for jobs of the other kind if
// it may. end gives the place back.
func (j *jobs) begin(kind Job, now int64, wait bool) (*job, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	for wait && j.job != nil && j.job.kind != kind {
		j.cond().Wait()
	}
	if j.job != nil || j.closed {
		return nil, ErrBusy
	}
	j.job = &job{kind: kind, begun: now}
	return j.job, nil
}

func (j *jobs) end() {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.job = nil
	j.cond().Broadcast()
}

// cond is what tells of a job's end; mu is held.
func (j *jobs) cond() *sync.Cond {
	if j.ended == nil {
		j.ended = sync.NewCond(&j.mu)
	}
	return j.ended
}

// running returns the job's kind and when it began.
func (j *jobs) running() (Job, int64) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.job == nil {
		return NoJob, 0
	}
	return j.job.kind, j.job.begun
}

// stop ends the job, if there is one of the kinds, and waits for that. With last there will be
// no other.
func (j *jobs) stop(last bool, kinds ...Job) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.closed = j.closed || last
	for j.job != nil && slices.Contains(kinds, j.job.kind) {
		j.job.stopped.Store(true)
		j.cond().Wait()
	}
}

// Writing says what is written in the background: "rdb" a snapshot, "aof" the append-only
// file anew, "" nothing.
func (m *Manager) Writing() string {
	kind, _ := m.jobs.running()
	return string(kind)
}
