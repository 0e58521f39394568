package aof

import "errors"

// Wait returns when the kernel has every change that was committed before the call. Such changes survive the
// end of the process. With [Always], Wait returns when they are on disk. It reports whether clients may get
// the replies to the commands since mark. It returns false under [Always] only: then a change may be lost.
func (j *Journal) Wait(mark uint64) bool {
	if need := j.begun.Load(); j.written.Load() < need {
		j.writeUpTo(need)
	}
	if j.syncs.late.Load() {
		j.awaitSync()
	}
	return j.lost.Load() == mark
}

// awaitSync waits for a slow disk, as long as a power cut would lose more changes than allowed.
func (j *Journal) awaitSync() {
	j.group.Lock()
	defer j.group.Unlock()
	for j.syncs.late.Load() {
		j.change.Wait()
	}
}

// writeUpTo waits until the batches up to this number are written. It becomes the leader if there is none.
func (j *Journal) writeUpTo(need uint64) {
	j.group.Lock()
	defer j.group.Unlock()
	for j.written.Load() < need {
		if j.leader {
			j.change.Wait()
		} else {
			j.lead()
		}
	}
}

// Flush writes everything that has collected, and begins the file of the last [Journal.Switch].
func (j *Journal) Flush() {
	j.group.Lock()
	defer j.group.Unlock()
	j.awaitLeader()
	j.lead()
}

// awaitLeader waits until there is no leader. The group lock is held.
func (j *Journal) awaitLeader() {
	for j.leader {
		j.change.Wait()
	}
}

// lead writes for all goroutines. The group lock is held before and after, but not during the write.
func (j *Journal) lead() {
	j.leader = true
	j.group.Unlock()
	upTo, err := uint64(0), errPanicked
	defer func() {
		j.held.writing.Store(0)
		if err != nil {
			j.fail(err)
		} else {
			j.written.Store(upTo)
		}
		j.group.Lock()
		j.leader = false
		j.change.Broadcast()
	}()
	upTo, err = j.write()
}

// errPanicked is the error of a write that has panicked: what it took may be lost.
var errPanicked = errors.New("the write of the log panicked")

// maxSpare bounds the bytes of the buffers that are kept for the next batches.
const maxSpare = 1 << 20

// write hands everything that was committed to the kernel, and under [Always] to the disk. It
// returns the number of batches that are written then. Only the leader calls it.
func (j *Journal) write() (upTo uint64, err error) {
	b := j.take()
	if b.next != nil {
		if err := j.changeFile(b.tail, b.next); err != nil {
			return 0, err
		}
	}
	if len(b.batch) == 0 {
		return b.upTo, nil
	}
	if err := j.file.append(j.join(b.batch)); err != nil {
		return 0, err
	}
	clear(b.batch)
	if j.Policy() == Always {
		return b.upTo, j.file.sync()
	}
	return b.upTo, nil
}

// changeFile ends the current file and begins the next. After a power cut, the changes in the next file must
// not exist without those before them. So changeFile forces the end of the current file to disk, under every
// policy.
func (j *Journal) changeFile(tail []part, next *File) error {
	defer j.switching.Store(false)
	old := j.file
	j.file = next
	j.current.Store(next)
	defer func() { j.db = noDB }()
	if old == nil {
		return nil
	}
	if len(tail) > 0 {
		if err := old.append(j.join(tail)); err != nil {
			return err
		}
	}
	return old.finish()
}

// fail gives up the current file, and everything that is not safe yet. Only the leader calls it. A command
// whose mark is newer than the failure comes after onFailure, which refuses the command.
func (j *Journal) fail(err error) {
	j.countFailure()
	j.onFailure(err)
	if j.Policy() == Always {
		j.lost.Add(1)
	}
	j.drop()
}

// GiveUp fails as after a failed write, because a file could not be forced to disk, or has lost its name. It
// does nothing if the journal has left the file since.
func (j *Journal) GiveUp(f *File, err error) {
	j.group.Lock()
	defer j.group.Unlock()
	j.awaitLeader()
	if j.current.Load() == f {
		j.fail(err)
		j.change.Broadcast()
	}
}

// drop gives up the current file, the next file, and everything that has collected for them.
func (j *Journal) drop() {
	next := j.discard()
	for _, f := range []*File{j.file, next} {
		if f != nil {
			f.close()
		}
	}
	j.file = nil
	j.current.Store(nil)
}

// Discard ends the recording into a file that is not kept.
func (j *Journal) Discard() {
	j.group.Lock()
	defer j.group.Unlock()
	j.awaitLeader()
	j.drop()
}

// Sync forces everything that was committed to disk. It reports whether it is there.
func (j *Journal) Sync() bool {
	j.Flush()
	if f := j.current.Load(); f != nil {
		if err := f.sync(); err != nil {
			j.GiveUp(f, err)
		}
	}
	return j.Recording()
}

// Stop forces everything to disk and ends the recording.
func (j *Journal) Stop() {
	j.Suspend()
	j.Flush()
	j.group.Lock()
	defer j.group.Unlock()
	f := j.current.Swap(nil)
	if f == nil {
		return
	}
	j.file = nil
	if err := f.finish(); err != nil {
		j.failures.Add(1)
		j.onFailure(err)
	}
}

const (
	// syncEvery is the time between two syncs, in nanoseconds.
	syncEvery = int64(1e9)
	// lateAfter is the age in nanoseconds of changes that are not on disk, from which clients wait. With the
	// time between two ticks, at most two seconds of changes can be lost.
	lateAfter = int64(1_850e6)
)

// Tick does the periodic work. now is in monotonic nanoseconds. Call it ten times a second.
func (j *Journal) Tick(now int64) {
	j.writeUpTo(j.begun.Load())
	if j.Policy() != EverySecond {
		return
	}
	j.group.Lock()
	defer j.group.Unlock()
	s := &j.syncs
	written := j.written.Load()
	f := j.current.Load()
	switch {
	case f == nil || written == s.synced && !s.running.Load():
		s.clean = now
	case now-s.clean >= lateAfter && s.running.Load():
		if !s.late.Swap(true) {
			s.delayed.Add(1)
		}
	case !s.running.Load() && now-s.begun >= syncEvery:
		s.running.Store(true)
		s.begun = now
		go j.sync(f, written, now)
	}
}

// sync forces a file to disk; upTo is the number of batches that were written before.
func (j *Journal) sync(f *File, upTo uint64, begun int64) {
	err := f.sync()
	if err != nil {
		j.GiveUp(f, err)
	}
	j.group.Lock()
	defer j.group.Unlock()
	s := &j.syncs
	s.running.Store(false)
	s.late.Store(false)
	j.change.Broadcast()
	if err == nil {
		s.synced, s.clean = upTo, begun
	}
}
