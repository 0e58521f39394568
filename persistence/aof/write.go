package aof

// keptBuffer is how large a buffer is kept for the next time.
const keptBuffer = 1 << 20

// taken is what a leader writes.
type taken struct {
	tail, batch []byte // batches whose headers are to be filled in; nil for nothing
	next        *File
	upTo        uint64 // batches, this one included
}

func (j *Journal) take() (t taken) {
	j.mu.Lock()
	defer j.mu.Unlock()
	t = taken{tail: j.tail, next: j.next, upTo: j.begun.Load()}
	j.tail, j.next = nil, nil
	if len(j.enc.buf) > headerSize {
		t.batch = j.enc.buf
		j.enc.buf = append(j.spare[:0], emptyHeader[:]...)
		j.spare = nil
	}
	return t
}

// write hands everything that was committed to the kernel, under [Always] to the disk, and
// says up to which batch that was.
func (j *Journal) write() (upTo uint64, err error) {
	t := j.take()
	if t.next != nil {
		if err := j.leave(t.tail, t.next); err != nil {
			return 0, err
		}
	}
	if t.batch == nil {
		return t.upTo, nil
	}
	if err := j.file.append(t.batch); err != nil {
		return 0, err
	}
	if cap(t.batch) <= keptBuffer {
		j.spare = t.batch
	}
	if j.Policy() == Always {
		return t.upTo, j.file.sync()
	}
	return t.upTo, nil
}

// leave ends a file and goes on to the next. What is in the next one must never last
// without what came before it: so the end of the old one is forced to disk, whatever the
// policy.
func (j *Journal) leave(tail []byte, next *File) error {
	old := j.file
	j.file = next
	j.current.Store(next)
	if old == nil {
		return nil
	}
	if tail != nil {
		if err := old.append(tail); err != nil {
			return err
		}
	}
	return old.finish()
}

// fail gives the file up, and what is not safe yet with it. It is the leader who does.
func (j *Journal) fail(err error) {
	j.mu.Lock()
	j.failures.Add(1)
	j.recording.Store(false)
	j.mu.Unlock()
	j.failed(err)
	if j.Policy() == Always {
		j.lost.Add(1)
	}
	j.drop()
}

// giveUp fails for a file that could not be forced to disk, unless it has been left meanwhile.
func (j *Journal) giveUp(f *File, err error) {
	j.turn.Lock()
	defer j.turn.Unlock()
	j.await()
	if j.current.Load() == f {
		j.fail(err)
		j.change.Broadcast()
	}
}

// drop forgets the file at hand and what waits to be written to it or the next.
func (j *Journal) drop() {
	j.mu.Lock()
	j.recording.Store(false)
	next := j.next
	j.tail, j.next = nil, nil
	j.enc.reset()
	j.written.Store(j.begun.Load()) // of what is recorded from now on, nothing
	j.mu.Unlock()
	for _, f := range []*File{j.file, next} {
		if f != nil {
			f.abandon()
		}
	}
	j.file = nil
	j.current.Store(nil)
}
