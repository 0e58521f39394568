package persistence

import "cellserver/store"

// correctClock corrects files that are from the future. The clock was ahead when they were written, and has been set back
// since by more than clock-step-limit. Their times are ahead by the same difference, and would limit their users for that
// long. The store moves them back, as after a step of the running clock. modified is the time of the last file.
// correctClock reports whether there were such keys.
func (env *environment) correctClock(modified int64) (found bool) {
	skew := modified - env.clock.Now()
	limit := env.settings.Load().ClockStepLimit
	if limit <= 0 || skew <= limit {
		return false
	}
	changes := env.store.Changes()
	env.store.StepBack(store.Step{Was: modified, Back: skew}, nil)
	env.store.CatchUp()
	_, moved := env.store.Steps()
	env.log.Warn("files are from the future: the clock was set back since, and limits and expiries were moved back by the same time; "+
		"check the clock if the time is wrong now", "seconds", skew/1e9, "keys", moved)
	return env.store.Changes() > changes
}

// SteppedBack follows a clock that was set back. A snapshot that is being written may have times from before the step,
// so it is written again.
func (m *Manager) SteppedBack() {
	if kind, _ := m.jobs.running(); kind == SavingJob {
		m.jobs.stop(false, SavingJob)
		m.snapshots.scheduled.Store(true)
	}
}
