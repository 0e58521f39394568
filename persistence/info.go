package persistence

// addField adds a field to INFO.
type addField func(name string, value any)

// info adds whether data is being loaded.
func (l *loadProgress) info(add addField) {
	add("loading", bit(l.active.Load()))
	add("async_loading", 0)
}

// infoDetails adds the progress of the load.
func (l *loadProgress) infoDetails(add addField) {
	total, loaded := l.total.Load(), l.loaded.Load()
	eta := int64(-1)
	if spent := (l.clock.Monotonic() - l.begun.Load()) / 1e9; loaded > 0 {
		eta = spent * (total - loaded) / loaded
	}
	add("loading_start_time", l.begunAt.Load())
	add("loading_total_bytes", total)
	add("loading_rdb_used_mem", l.usedMem.Load())
	add("loading_loaded_bytes", loaded)
	add("loading_loaded_perc", percent(loaded, total))
	add("loading_eta_seconds", eta)
}

// infoRunning adds the progress of the running snapshot.
func (s *snapshots) infoRunning(add addField) {
	var copied, most int64
	if n := s.running.Load(); n != nil {
		copied, most = n.Copied()
	}
	keys, total := s.keys.Load(), s.total.Load()
	add("current_cow_peak", most)
	add("current_cow_size", copied)
	add("current_cow_size_age", 0)
	add("current_fork_perc", percent(keys, total))
	add("current_save_keys_processed", keys)
	add("current_save_keys_total", total)
}

// info adds the numbers of the snapshots, and of the keys that were loaded.
func (s *snapshots) info(add addField, l *loadProgress) {
	kind, begun := s.jobs.running()
	now := s.clock.Monotonic()
	took := int64(-1)
	if kind == savingJob {
		took = (now - begun) / 1e9
	}
	add("rdb_changes_since_last_save", s.unsaved())
	add("rdb_bgsave_in_progress", bit(kind == savingJob))
	add("rdb_last_save_time", s.lastByWall())
	add("rdb_last_bgsave_status", status(!s.failed.Load()))
	add("rdb_last_bgsave_time_sec", s.took.Load())
	add("rdb_current_bgsave_time_sec", took)
	add("rdb_saves", s.count.Load())
	add("rdb_last_cow_size", s.copied.Load())
	add("rdb_last_load_keys_expired", l.expired.Load())
	add("rdb_last_load_keys_loaded", l.keys.Load())
}

// info adds the numbers of the append-only file.
func (a *appendLog) info(add addField) {
	r, on := &a.rewrites, a.wanted.Load()
	scheduled := a.scheduled.Load() // before the job: so INFO shows a rewrite that begins meanwhile as scheduled or as running
	kind, begun := a.jobs.running()
	took := int64(-1)
	if kind == rewriteJob {
		took = (a.clock.Monotonic() - begun) / 1e9
	}
	add("aof_enabled", bit(on))
	add("aof_rewrite_in_progress", bit(kind == rewriteJob))
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
