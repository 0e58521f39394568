package persistence

import "errors"

// A process can still write to a removed file, and no write fails. So the manager looks for lost files.

// lookEvery is the time between two checks, in nanoseconds. With the time between two calls of
// [Manager.Tick], the server notices a loss within a second.
const lookEvery = int64(800e6)

// looksNow reports whether the next check is due. If it is, looksNow notes that the caller makes it.
func (m *Manager) looksNow(now int64) bool {
	last := m.looked.Load()
	return now-last >= lookEvery && m.looked.CompareAndSwap(last, now)
}

// checkFiles treats lost files as a failed disk.
func (m *Manager) checkFiles() {
	err := m.directory.lost(m.fs)
	m.appendLog.checkFiles(err)
	if err != nil {
		m.snapshots.lost(err)
	}
}

// checkFiles gives the log up if a file of the log was lost, or if err is not nil. It checks nothing during
// a rewrite, because the rewrite replaces the files.
func (a *appendLog) checkFiles(err error) {
	if !a.journal.Recording() || !a.mu.TryLock() {
		return
	}
	defer a.mu.Unlock()
	if a.dir == nil {
		return
	}
	f := a.journal.Current()
	if err = errors.Join(err, a.dir.Check(f)); err != nil {
		a.journal.GiveUp(f, err)
	}
}

// lost has the effect of a failed snapshot in the background, because the dump was lost. The next snapshot
// is due as soon as the disk is back.
func (s *snapshots) lost(err error) {
	if len(s.settings.Load().Save) == 0 || s.failed.Swap(true) {
		return
	}
	s.log.Error("the directory of snapshots is gone: bring it back; the server then writes a snapshot by itself", "error", err)
	s.tried.Store(s.clock.Now() / 1e9)
	s.scheduled.Store(true)
	s.updateCondition()
}
