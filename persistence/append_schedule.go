package persistence

import "errors"

// How long after one rewrite of the log the next may begin by itself, in nanoseconds:
// after each failure in a row twice as long. A log that is not whole is written anew as
// soon as may be, but not so often that it takes more than a part of the machine.
const (
	rewriteEvery    = int64(10e9)
	rewriteEveryMax = int64(300e9)
	mendEvery       = int64(1e9)
	mendEveryMax    = int64(60e9)
	mendShare       = 5
)

// Pulse does what is due for the append-only file; it is to be called ten times a second,
// by whom it may keep waiting for the disk.
func (m *Manager) Pulse() {
	now := m.clock.Monotonic()
	m.append.journal.Tick(now)
	if m.rewriteDue(now) {
		_ = m.BackgroundRewrite() // someone may have been faster
	}
}

// rewriteDue reports whether the log is to be written anew.
func (m *Manager) rewriteDue(now int64) bool {
	a := &m.append
	kind, _ := m.jobs.running()
	if kind != NoJob || m.loading.active.Load() {
		return false
	}
	if a.scheduled.Load() {
		return true
	}
	since := now - a.rewrites.ended.Load()
	switch {
	case !a.wanted.Load():
		return false
	case !a.journal.Recording():
		return since >= min(max(mendEvery, mendShare*a.rewrites.lasted.Load()), mendEveryMax)
	case since < min(rewriteEvery<<min(a.rewrites.failures.Load(), 10), rewriteEveryMax):
		return false
	}
	return m.logHasGrown()
}

// logHasGrown reports whether the log is as large as the configuration lets it become.
func (m *Manager) logHasGrown() bool {
	set, size, base := m.settings.Load(), m.append.size(), max(m.append.base.Load(), 1)
	grown := float64(size-base) / float64(base) * 100
	return set.RewritePercentage > 0 && size > set.RewriteMinSize && grown >= float64(set.RewritePercentage)
}

// size is the log's, in bytes.
func (a *appendLog) size() int64 { return a.base.Load() + a.before.Load() + a.journal.Size() }

// configureLog makes what has changed about the log effective. A log that is turned on is
// complete once it was written for the first time, in the background.
func (m *Manager) configureLog(old, set *Settings) error {
	a := &m.append
	a.journal.SetPolicy(set.AppendFsync)
	switch {
	case set.AppendOnly && !old.AppendOnly:
		a.mu.Lock()
		err := m.ownLog()
		a.mu.Unlock()
		if err != nil {
			return err
		}
		a.wanted.Store(true)
		a.scheduled.Store(true)
		_ = m.BackgroundRewrite() // else it comes after the job that runs
	case !set.AppendOnly && old.AppendOnly:
		a.wanted.Store(false)
		a.scheduled.Store(false)
		m.jobs.stop(false, RewriteJob)
		a.journal.Stop()
		a.broken.Store(false)
		m.update(func(c *Condition) { c.LogFailed, c.LogStrict = "", false })
	}
	return nil
}

// endLog ends the log: everything is on disk then. One that is not whole has a last chance.
func (m *Manager) endLog() error {
	a := &m.append
	if !a.wanted.Load() {
		return nil
	}
	if !a.journal.Recording() {
		if err := m.rewrite(&job{begun: m.clock.Monotonic()}); err != nil {
			return err
		}
	}
	a.journal.Stop()
	if a.broken.Load() {
		return errors.New("the append-only file is not whole: the last changes may be lost")
	}
	return nil
}
