package persistence

import (
	"errors"
	"slices"
	"sync"
	"sync/atomic"
)

// The kinds of jobs: the server writes a snapshot or a log. One job runs at a time, because each takes a
// snapshot of the store.
const (
	noJob      = ""
	savingJob  = "rdb"
	rewriteJob = "aof"
)

// The errors of jobs.
var (
	ErrBusy    = errors.New("another background job runs: wait until it has ended")
	errStopped = errors.New("stopped")
)

// jobs holds the running job.
type jobs struct {
	mu     sync.Mutex // guards all fields
	job    *job
	ended  *sync.Cond // of mu: the job has ended; New makes it
	closed bool       // no further job begins
}

// job is a running job.
type job struct {
	kind    string
	begun   int64       // monotonic time
	stopped atomic.Bool // the job ends as soon as it can
}

// begin begins a job, or fails with [ErrBusy]. If wait is true, it waits for a job of the other kind.
// The caller calls end after the job.
func (j *jobs) begin(kind string, now int64, wait bool) (*job, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	for wait && j.job != nil && j.job.kind != kind {
		j.ended.Wait()
	}
	return j.start(kind, now)
}

// interrupt is begin, but ends a running job of one of the kinds, and waits for one of another kind.
func (j *jobs) interrupt(kind string, now int64, ends ...string) (*job, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	for j.job != nil {
		j.endRunning(ends...)
		if j.job != nil {
			j.ended.Wait()
		}
	}
	return j.start(kind, now)
}

// start begins a job if none runs. mu is held.
func (j *jobs) start(kind string, now int64) (*job, error) {
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
	j.ended.Broadcast()
}

// running returns the kind of the job and when it began.
func (j *jobs) running() (string, int64) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.job == nil {
		return noJob, 0
	}
	return j.job.kind, j.job.begun
}

// stop stops the job if it is of one of the kinds, and waits for its end. If last is true, no further job
// begins.
func (j *jobs) stop(last bool, kinds ...string) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.closed = j.closed || last
	j.endRunning(kinds...)
}

// endRunning is stop, with mu held.
func (j *jobs) endRunning(kinds ...string) {
	for j.job != nil && slices.Contains(kinds, j.job.kind) {
		j.job.stopped.Store(true)
		j.ended.Wait()
	}
}
