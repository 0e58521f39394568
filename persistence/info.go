package persistence

import "fmt"

// Info tells the fields of INFO's section on persistence, in Redis's order.
func (m *Manager) Info(add func(name string, value any)) {
	m.infoLoading(add)
	m.infoSaves(add)
	m.infoLog(add)
	add("module_fork_in_progress", 0)
	add("module_fork_last_cow_size", 0)
	if m.loading.active.Load() {
		m.infoProgress(add)
	}
}

// infoProgress tells how far the loading has come.
func (m *Manager) infoProgress(add func(name string, value any)) {
	l := &m.loading
	total, loaded := l.total.Load(), l.loaded.Load()
	eta := int64(-1)
	if spent := (m.clock.Monotonic() - l.began.Load()) / 1e9; loaded > 0 {
		eta = spent * (total - loaded) / loaded
	}
	add("loading_start_time", l.begun.Load())
	add("loading_total_bytes", total)
	add("loading_rdb_used_mem", l.usedMem.Load())
	add("loading_loaded_bytes", loaded)
	add("loading_loaded_perc", percent(loaded, total))
	add("loading_eta_seconds", eta)
}

// infoLoading tells whether data is loaded, and how far the snapshot that runs has come.
func (m *Manager) infoLoading(add func(name string, value any)) {
	add("loading", bit(m.loading.active.Load()))
	add("async_loading", 0)
	var copied, most int64
	if n := m.saves.running.Load(); n != nil {
		copied, most = n.Copied()
	}
	keys, total := m.saves.keys.Load(), m.saves.total.Load()
	add("current_cow_peak", most)
	add("current_cow_size", copied)
	add("current_cow_size_age", 0)
	add("current_fork_perc", percent(keys, total))
	add("current_save_keys_processed", keys)
	add("current_save_keys_total", total)
}

// infoLog tells of the append-only file.
func (m *Manager) infoLog(add func(name string, value any)) {
	a := &m.append
	r, on := &a.rewrites, a.wanted.Load()
	scheduled := a.scheduled.Load() // first: a rewrite runs before it is not scheduled any more
	kind, begun := m.jobs.running()
	took := int64(-1)
	if kind == RewriteJob {
		took = (m.clock.Monotonic() - begun) / 1e9
	}
	add("aof_enabled", bit(on))
	add("aof_rewrite_in_progress", bit(kind == RewriteJob))
	add("aof_rewrite_scheduled", bit(scheduled))
	add("aof_last_rewrite_time_sec", r.took.Load())
	add("aof_current_rewrite_time_sec", took)
	add("aof_last_bgrewrite_status", status(r.failures.Load() == 0))
	add("aof_rewrites", r.count.Load())
	add("aof_rewrites_consecutive_failures", r.failures.Load())
	add("aof_last_write_status", status(!a.broken.Load()))
	add("aof_last_cow_size", r.copied.Load())
	if !on {
		return
	}
	add("aof_current_size", a.size())
	add("aof_base_size", a.base.Load())
	add("aof_pending_rewrite", bit(scheduled))
	add("aof_buffer_length", a.journal.Waiting())
	add("aof_pending_bio_fsync", bit(a.journal.Syncing()))
	add("aof_delayed_fsync", a.journal.Delayed())
	add("aof_changes_in_memory_only", a.journal.Missed())
}

func (m *Manager) infoSaves(add func(name string, value any)) {
	kind, begun := m.jobs.running()
	now := m.clock.Monotonic()
	s := &m.saves
	took := int64(-1)
	if kind == SavingJob {
		took = (now - begun) / 1e9
	}
	add("rdb_changes_since_last_save", m.changes()-s.saved.Load())
	add("rdb_bgsave_in_progress", bit(kind == SavingJob))
	add("rdb_last_save_time", s.last.Load())
	add("rdb_last_bgsave_status", status(!s.failed.Load()))
	add("rdb_last_bgsave_time_sec", s.took.Load())
	add("rdb_current_bgsave_time_sec", took)
	add("rdb_saves", s.count.Load())
	add("rdb_last_cow_size", s.copied.Load())
	add("rdb_last_load_keys_expired", m.loading.expired.Load())
	add("rdb_last_load_keys_loaded", m.loading.keys.Load())
}

func percent(part, whole int64) string {
	return fmt.Sprintf("%.2f", 100*float64(part)/float64(max(whole, 1)))
}

func bit(on bool) int {
	if on {
		return 1
	}
	return 0
}

func status(ok bool) string {
	if ok {
		return "ok"
	}
	return "err"
}
