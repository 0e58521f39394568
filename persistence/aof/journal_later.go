package aof

// later are the callers of [Journal.Later] whose changes are not safe yet. Journal.group guards it.
type later struct {
	waiting []waiting
	running bool // a goroutine runs [Journal.serveLater]
}

// waiting is one call of [Journal.Later].
type waiting struct {
	mark uint64
	done func(safe bool)
}

// Later is [Journal.Wait] for a caller that must not wait for the disk. need is the result of
// [Journal.Begun] after the last command. If now is true, safe is the result of Wait. Otherwise a goroutine
// of the journal calls done with this result, once.
//
// Usually Later hands the changes to the kernel itself. That takes microseconds and no other goroutine.
// Otherwise a goroutine of the journal writes: with [Always], while a file is forced to disk, and if the
// changes are large.
func (j *Journal) Later(need, mark uint64, done func(safe bool)) (safe, now bool) {
	if j.written.Load() < need && j.writesAtOnce() {
		j.writeUpTo(need)
	}
	if j.isWritten(need) {
		return j.lost.Load() == mark, true
	}
	j.group.Lock()
	defer j.group.Unlock()
	if j.isWritten(need) {
		return j.lost.Load() == mark, true
	}
	l := &j.later
	l.waiting = append(l.waiting, waiting{mark, done})
	if !l.running {
		l.running = true
		go j.serveLater()
	}
	return false, false
}

// isWritten reports whether the batches up to this number are written, and the disk is not late.
func (j *Journal) isWritten(need uint64) bool {
	return j.written.Load() >= need && !j.syncs.late.Load()
}

// writesAtOnce reports whether a write takes a short time, and does not wait for the disk.
func (j *Journal) writesAtOnce() bool {
	return j.Policy() != Always && !j.syncs.running.Load() && !j.switching.Load() && j.Held() <= maxAtOnce
}

// serveLater waits for all callers of [Journal.Later], until there are none. While it waits, the next
// callers collect, and one sync serves all of them.
func (j *Journal) serveLater() {
	for {
		all := j.takeLater()
		if len(all) == 0 {
			return
		}
		j.Wait(0)
		lost := j.lost.Load()
		for _, w := range all {
			w.done(lost == w.mark)
		}
	}
}

// takeLater takes the callers that wait. If there are none, serveLater is to end.
func (j *Journal) takeLater() []waiting {
	j.group.Lock()
	defer j.group.Unlock()
	all := j.later.waiting
	j.later.waiting = nil
	j.later.running = len(all) > 0
	return all
}
