package persistence

import (
	"errors"
	"io"

	"cellserver/persistence/aof"
	"cellserver/persistence/rdb"
)

// errLogFailed ends a rewrite because the journal cannot write the log.
var errLogFailed = errors.New("the changes during the rewrite could not be written")

// cutTornTail cuts off the torn tail that the load of the log has found.
func (a *appendLog) cutTornTail(loaded *aof.Loaded) error {
	if loaded.Torn == "" {
		return nil
	}
	kept, err := a.dir.CutTornTail(loaded)
	if err == nil {
		a.log.Warn("cut off the torn tail of the append-only file, as a crash or a power cut leaves it",
			"tail", loaded.Torn, "copy", kept)
	}
	return err
}

// begin continues a log in a new file. It never appends to a file of an earlier run. loaded is nil if there is
// no log yet: then begin writes one with the whole keyspace. It does nothing if CONFIG SET has turned the log
// off during the load. If the log is on again, in another directory, a rewrite begins it there.
func (a *appendLog) begin(dir *aof.Dir, loaded *aof.Loaded) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	if !a.wanted.Load() || a.dir != nil {
		return nil
	}
	a.dir = dir
	if loaded == nil {
		return a.rewriteFiles(&job{})
	}
	if err := a.cutTornTail(loaded); err != nil {
		return err
	}
	if err := a.dir.Create(); err != nil {
		return err
	}
	f, err := a.dir.NewFile()
	if err != nil {
		return err
	}
	if err := a.dir.Append(f); err != nil {
		return err
	}
	if a.dir.Interrupted() {
		if err := a.dir.EndRewrite(); err != nil {
			return err
		}
	}
	a.journal.Switch(f)
	a.journal.Flush()
	a.measure()
	return nil
}

// background begins a rewrite, but not during the load. The load is silent, so the log would never get the
// keys that come after the base.
func (a *appendLog) background() error {
	if a.loading() {
		return ErrBusy
	}
	j, err := a.jobs.begin(rewriteJob, a.clock.Monotonic(), false)
	if err != nil {
		return err
	}
	a.scheduled.Store(false)
	go func() {
		defer a.jobs.end()
		a.rewrite(j)
	}()
	return nil
}

// rewrite runs the job that background began.
func (a *appendLog) rewrite(j *job) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	r := &a.rewrites
	if r.failures.Load() == 0 {
		a.log.Info("rewriting the append-only file")
	}
	err := a.own()
	if err == nil {
		err = a.rewriteFiles(j)
	}
	if !a.wanted.Load() { // BGREWRITEAOF with appendonly no writes a log, and does not continue it
		a.turnOff()
	}
	ended := a.clock.Monotonic()
	r.ended.Store(ended)
	r.lasted.Store(ended - j.begun)
	r.took.Store((ended - j.begun) / 1e9)
	switch {
	case errors.Is(err, errStopped):
		a.log.Info("rewrite of the append-only file stopped")
		return err
	case err != nil:
		if n, hasLine := r.failures.next(); hasLine {
			a.log.Error("rewrite of the append-only file failed: free disk space or repair the directory; "+
				"the server tries again by itself",
				"error", err, "failures", n)
		}
		return err
	}
	r.failures.Store(0)
	r.count.Add(1)
	a.log.Info("append-only file rewritten", "base", a.base.Load(), "milliseconds", (ended-j.begun)/1e6)
	a.restored()
	return nil
}

// renew rewrites a log that does not say how the keys became what they are. Without the disk there is no log
// until a later rewrite.
func (a *appendLog) renew(j *job) {
	a.journal.Suspend()
	if err := a.rewrite(j); err != nil {
		a.failed(err)
	}
}

// rewriteFiles rewrites the log: a base with the whole keyspace of one moment, and a file of the changes
// since. It also makes the first log, and restores a log after a failure. Until all of that is on disk, the
// old files are the log. a.mu is held.
func (a *appendLog) rewriteFiles(j *job) error {
	if err := errors.Join(a.dir.Create(), a.dir.BeginRewrite()); err != nil {
		return err
	}
	f, err := a.dir.NewFile()
	if err != nil {
		return err
	}
	gap := !a.journal.Recording() // some changes are neither in the old files nor in f
	used := false                 // the journal has f
	if !gap {
		err = a.dir.Append(f)
	}
	// The first goroutine that writes to f waits until the old file is synced. A sync now leaves little to
	// wait for.
	a.journal.Sync()
	if err == nil {
		err = a.writeBase(j, func() { gap, used = !a.journal.Switch(f), true })
	}
	if err == nil {
		err = a.dir.Replace(f)
	}
	if gap && err != nil {
		a.journal.Discard()
	}
	if err != nil && (gap || !used) {
		err = errors.Join(err, a.dir.Drop(f))
	}
	a.measure()
	if err != nil {
		return errors.Join(err, a.dir.EndRewrite())
	}
	if err := errors.Join(a.dir.EndRewrite(), a.dir.RemoveHistory()); err != nil {
		a.log.Warn("old files of the log could not be removed: remove them to free their space, or the next rewrite does", "error", err)
	}
	return nil
}

// writeBase writes the whole keyspace of one moment. At that moment it calls begin, which directs later
// changes to another file.
func (a *appendLog) writeBase(j *job, begin func()) error {
	now := a.clock.Now()
	snapshot, err := a.store.Snapshot(now, begin)
	if err != nil {
		return err
	}
	defer snapshot.Close()
	a.journal.Flush()
	err = replace(a.fs, a.dir.NextBase(), j, func(out io.Writer) error {
		return rdb.Save(out, snapshot, rdb.SaveOptions{Facts: a.facts(now, "1")})
	})
	_, most := snapshot.Copied()
	a.rewrites.copied.Store(most)
	if err == nil && !a.journal.Sync() {
		err = errLogFailed
	}
	return err
}

// configure applies new settings. If they turn the log on, its first rewrite in the background
// makes it complete.
func (a *appendLog) configure(old, set *Settings) error {
	a.journal.SetPolicy(set.AppendFsync)
	switch {
	case set.AppendOnly && !old.AppendOnly:
		a.mu.Lock()
		err := a.own()
		a.mu.Unlock()
		if err != nil {
			return err
		}
		a.wanted.Store(true)
		a.scheduled.Store(true)
		_ = a.background() // if it cannot begin now, the schedule begins it later
	case !set.AppendOnly && old.AppendOnly:
		a.wanted.Store(false)
		a.scheduled.Store(false)
		a.jobs.stop(false, rewriteJob)
		a.mu.Lock()
		defer a.mu.Unlock()
		a.turnOff()
	}
	return nil
}

// turnOff ends a log that is not wanted. a.mu is held.
func (a *appendLog) turnOff() {
	a.journal.Stop()
	a.broken.Store(false)
	a.update(func(c *Condition) { c.LogFailed, c.LogStrict = "", false })
}

// leave forgets the directory, because the files come to another one.
func (a *appendLog) leave() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.dir = nil
}

// end forces the log to disk and ends it. It tries once more to restore a log that has failed, if it has all keys.
func (a *appendLog) end() error {
	if !a.wanted.Load() {
		return nil
	}
	if !a.journal.Recording() && !a.loading() {
		if err := a.rewrite(&job{begun: a.clock.Monotonic()}); err != nil {
			return err
		}
	}
	a.journal.Stop()
	if a.broken.Load() {
		return errors.New("the append-only file is not complete: the last changes may be lost")
	}
	return nil
}
