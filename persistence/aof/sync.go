package aof

import (
	"sync/atomic"

	"cellserver/persistence/fs"
)

// syncs is what is known about forcing a file to disk once a second. All times are
// monotonic nanoseconds; its fields but late are guarded by the journal's turn.
type syncs struct {
	running bool
	begun   int64  // when the last one began
	clean   int64  // up to when everything that was written is on disk
	synced  uint64 // batches on disk
	late    atomic.Bool
	delayed atomic.Int64 // how often one took longer than a second
}

// syncEvery is how often a file is forced to disk, and lateAfter how old what is not on
// disk may become, less the time between two ticks, before nothing more is acknowledged.
const (
	syncEvery = int64(1e9)
	lateAfter = int64(1_850e6)
)

// Tick does what is due at now, in monotonic nanoseconds. It is to be called ten times a second.
func (j *Journal) Tick(now int64) {
	if need := j.begun.Load(); j.written.Load() < need {
		j.settle(need)
	}
	if j.Policy() != EverySecond {
		return
	}
	j.turn.Lock()
	defer j.turn.Unlock()
	s := &j.syncs
	written := j.written.Load()
	f := j.current.Load()
	switch {
	case f == nil || written == s.synced && !s.running:
		s.clean = now
	case now-s.clean >= lateAfter && s.running:
		if !s.late.Swap(true) {
			s.delayed.Add(1)
		}
	case !s.running && now-s.begun >= syncEvery:
		s.running, s.begun = true, now
		go j.sync(f, written, now)
	}
}

// sync forces what was written up to a batch to disk.
func (j *Journal) sync(f *File, upTo uint64, begun int64) {
	err := fs.Aside(f.sync)
	if err != nil {
		j.giveUp(f, err)
	}
	j.turn.Lock()
	defer j.turn.Unlock()
	s := &j.syncs
	s.running = false
	s.late.Store(false)
	j.change.Broadcast()
	if err == nil {
		s.synced, s.clean = upTo, begun
	}
}

// Syncing reports whether the file is being forced to disk in the background.
func (j *Journal) Syncing() bool {
	j.turn.Lock()
	defer j.turn.Unlock()
	return j.syncs.running
}

// Delayed returns how often that took so long that clients had to wait.
func (j *Journal) Delayed() int64 { return j.syncs.delayed.Load() }

// awaitSync waits for a disk that is so slow that more would be lost than may be.
func (j *Journal) awaitSync() {
	j.turn.Lock()
	defer j.turn.Unlock()
	for j.syncs.late.Load() {
		j.change.Wait()
	}
}
