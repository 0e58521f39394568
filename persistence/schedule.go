package persistence

import "errors"

// retryAfter is how many seconds pass before a snapshot that failed is tried again, unless
// someone asks for it.
const retryAfter = 5

// Tick does what is due: snapshots that save points ask for, or someone did. Call it now
// and then.
func (m *Manager) Tick() {
	s, now := &m.saves, m.clock.Now()/1e9
	if kind, _ := m.jobs.running(); kind != NoJob || m.loading.active.Load() {
		return
	}
	if s.failed.Load() && now-s.tried.Load() <= retryAfter {
		return
	}
	if s.scheduled.Load() || m.due(now) {
		// Someone may have been faster, or everything ends: then there is nothing to do.
		_ = m.BackgroundSave()
	}
}

// due reports whether a save point asks for a snapshot.
func (m *Manager) due(now int64) bool {
	changes := m.changes() - m.saves.saved.Load()
	for _, p := range m.settings.Load().Save {
		if changes >= p.Changes && now-m.saves.last.Load() > p.Seconds {
			m.log.Info("a save point is reached", "changes", changes, "seconds", p.Seconds)
			return true
		}
	}
	return false
}

// Flushed is told after FLUSHALL: a snapshot that runs is stopped, and where there are save
// points an empty one is written at once, so that nothing comes back.
func (m *Manager) Flushed() {
	m.jobs.stop(false, SavingJob)
	if len(m.settings.Load().Save) > 0 {
		_ = m.Save() // which has logged why it failed
	}
}

// PrepareStop stops what is written in the background and, with save or where there are
// save points and not noSave, writes a snapshot. After an error the server had better go on.
func (m *Manager) PrepareStop(save, noSave bool) error {
	m.jobs.stop(false, SavingJob)
	if !m.savesAtEnd(save, noSave) {
		return nil
	}
	return m.Save()
}

// Stop ends everything and gives the directory back. What has changed since [Manager.PrepareStop]
// is written, too. No client may be served any more.
func (m *Manager) Stop(save, noSave bool) error {
	defer m.home.leave()
	var err error
	if m.savesAtEnd(save, noSave) && m.changes() != m.saves.saved.Load() {
		err = m.Save()
	}
	m.jobs.stop(true, SavingJob, RewriteJob)
	return errors.Join(err, m.endLog())
}

func (m *Manager) savesAtEnd(save, noSave bool) bool {
	return save || !noSave && len(m.settings.Load().Save) > 0
}
