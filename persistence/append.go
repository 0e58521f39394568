package persistence

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"sync/atomic"
	"syscall"

	"cellserver/persistence/aof"
	"cellserver/persistence/rdb"
)

// appendLog is the append-only file: what is written to it as changes happen, and how it
// is written anew.
type appendLog struct {
	journal *aof.Journal
	wanted  atomic.Bool // the configuration asks for one
	broken  atomic.Bool // it could not be written, and is not whole again yet

	mu  sync.Mutex // held while files come and go: at the start, and while the log is written anew
	dir *aof.Dir   // nil before the log was first wanted

	scheduled atomic.Bool  // someone asked for a rewrite while another job ran
	base      atomic.Int64 // bytes of what the last rewrite, or the start, left
	before    atomic.Int64 // bytes of the files of changes before the one at hand
	rewrites  rewrites
}

// rewrites is what is known of them.
type rewrites struct {
	count    atomic.Int64
	failures atomic.Int64 // in a row
	ended    atomic.Int64 // monotonic time at which the last one ended
	lasted   atomic.Int64 // nanoseconds that it took
	took     atomic.Int64 // the same in seconds, -1: none yet
	copied   atomic.Int64 // most bytes that were copied for the last one
}

// errBroken ends a rewrite during which the log broke.
var errBroken = errors.New("the changes meanwhile could not be written")

// openLog opens the log's directory.
func (m *Manager) openLog(set *Settings) error {
	dir, err := aof.Open(m.fs, set.Dir, set.AppendDir, set.AppendName)
	if err == nil {
		m.append.dir = dir
	}
	return err
}

// loadLog loads the log, and reports whether there is one.
func (m *Manager) loadLog(ctx context.Context, set *Settings) (found bool, err error) {
	dir := m.append.dir
	if dir.Empty() {
		return false, nil
	}
	size, changed, err := dir.Stat()
	if err != nil {
		return false, fmt.Errorf("%w; nothing was changed: put the file back", err)
	}
	m.beginLoading(size, changed)
	defer m.loading.active.Store(false)
	m.log.Info("loading", "directory", dir.Path(), "bytes", size)
	l, err := dir.Load(m.store, aof.LoadOptions{
		Now: m.clock.Now(), Foreign: m.foreign, RefuseTorn: !set.LoadTruncated,
		RDB:      rdb.Options{SkipUnsupported: set.SkipUnsupported, Aux: m.fact},
		Through:  func(in io.Reader) io.Reader { return until{ctx, in} },
		Progress: func(bytes int64) { m.progress(bytes, 0) },
	})
	if err != nil {
		return false, err
	}
	if l.Torn != "" {
		kept, err := dir.Mend(l)
		if err != nil {
			return false, err
		}
		m.log.Warn("the end of the append-only file is torn, as a crash or a power cut leaves it: it was cut off", "what", l.Torn, "kept", kept)
	}
	m.loading.keys.Store(l.Base.Keys)
	m.log.Info("loaded", "directory", dir.Path(), "keys", l.Base.Keys, "commands", l.Commands,
		"milliseconds", (m.clock.Monotonic()-m.loading.began.Load())/1e6)
	m.reportSkipped(l.Base.Skipped)
	m.reportSkipped(l.Skipped)
	return true, nil
}

// beginLog lets the log go on in a file of its own: what an earlier run wrote is never
// added to. Where there was none, it begins with everything that the store holds.
func (m *Manager) beginLog(found bool) error {
	a := &m.append
	a.mu.Lock()
	defer a.mu.Unlock()
	if !found {
		return m.rewriteLog(&job{})
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
	a.journal.Switch(f)
	a.journal.Flush()
	a.measure()
	return nil
}

// rewriteLog writes the log anew: what the store holds at one moment, and a file of the
// changes since. It also turns the log on, and makes it whole again after a failure: what
// there was before then counts until everything is on disk. a.mu is held.
func (m *Manager) rewriteLog(j *job) error {
	a := &m.append
	if err := a.dir.Create(); err != nil {
		return err
	}
	f, err := a.dir.NewFile()
	if err != nil {
		return err
	}
	gap := !a.journal.Recording() // there are changes that neither the old files have nor f
	if !gap {
		err = a.dir.Append(f)
	}
	// In advance, and as late as may be: whoever is the first to write to f waits for what is not synced by then.
	a.journal.Sync()
	if err == nil {
		err = m.writeBase(j, func() { gap = !a.journal.Switch(f) })
	}
	if err == nil {
		err = a.dir.Replace(f)
	}
	if gap && err != nil {
		a.journal.Discard()
	}
	if err != nil && (gap || !a.dir.Lists(f)) {
		err = errors.Join(err, a.dir.Drop(f))
	}
	a.measure()
	if err != nil {
		return err
	}
	if err := a.dir.Forget(); err != nil {
		m.log.Warn("files that are not needed any more could not be removed", "error", err)
	}
	return nil
}

// measure looks how large the files are that are not written to any more.
func (a *appendLog) measure() {
	base, changes := a.dir.Sizes()
	a.base.Store(base)
	a.before.Store(changes - a.journal.Size())
}

// writeBase writes everything that the store holds at a moment, at which it calls begin:
// changes go to another file from then on.
func (m *Manager) writeBase(j *job, begin func()) error {
	a, now := &m.append, m.clock.Now()
	snapshot, err := m.store.Snapshot(now, begin)
	if err != nil {
		return err
	}
	defer snapshot.Close()
	a.journal.Flush()
	err = replace(m.fs, a.dir.NextBase(), j, func(out io.Writer) error {
		return rdb.Save(out, snapshot, rdb.SaveOptions{Facts: m.facts(now, "1")})
	})
	_, most := snapshot.Copied()
	a.rewrites.copied.Store(most)
	if err == nil && !a.journal.Sync() {
		err = errBroken
	}
	return err
}

// BackgroundRewrite begins to write the log anew, or fails with [ErrBusy] while another
// job runs.
func (m *Manager) BackgroundRewrite() error {
	j, err := m.jobs.begin(RewriteJob, m.clock.Monotonic(), false)
	if err != nil {
		return err
	}
	m.append.scheduled.Store(false)
	go func() {
		defer m.jobs.end()
		m.rewrite(j)
	}()
	return nil
}

// ScheduleRewrite begins to write the log anew as soon as no other job runs.
func (m *Manager) ScheduleRewrite() { m.append.scheduled.Store(true) }

// rewrite is the job.
func (m *Manager) rewrite(j *job) error {
	a := &m.append
	a.mu.Lock()
	defer a.mu.Unlock()
	m.log.Info("the append-only file is written anew")
	err := m.ownLog()
	if err == nil {
		err = m.rewriteLog(j)
	}
	ended := m.clock.Monotonic()
	r := &a.rewrites
	r.ended.Store(ended)
	r.lasted.Store(ended - j.begun)
	r.took.Store((ended - j.begun) / 1e9)
	switch {
	case errors.Is(err, errStopped):
		m.log.Info("writing the append-only file anew was stopped")
		return err
	case err != nil:
		m.log.Error("the append-only file could not be written anew", "error", err, "failures", r.failures.Add(1))
		return err
	}
	r.failures.Store(0)
	r.count.Add(1)
	m.log.Info("the append-only file was written anew", "base", a.base.Load(), "milliseconds", (ended-j.begun)/1e6)
	m.logIsWhole()
	return nil
}

// ownLog makes sure that there is a directory to write the log to.
func (m *Manager) ownLog() error {
	set := m.settings.Load()
	if err := m.home.own(m.fs, set.Dir); err != nil {
		return err
	}
	if m.append.dir != nil {
		return nil
	}
	return m.openLog(set)
}

// logFailed is told that the log could not be written; the journal records nothing since.
func (m *Manager) logFailed(err error) {
	always := m.append.journal.Policy() == aof.Always
	m.update(func(c *Condition) { c.LogFailed, c.LogStrict = reason(err), always })
	if m.append.broken.Swap(true) {
		return
	}
	goesOn := "limiters go on in memory and other writes are refused"
	if always {
		goesOn = "commands on keys are refused, and what was not acknowledged yet never will be"
	}
	m.log.Error("the append-only file cannot be written: "+goesOn+", until it has been written anew", "error", err)
}

// logIsWhole tells that everything is on disk again, unless it broke anew.
func (m *Manager) logIsWhole() {
	whole := true
	m.update(func(c *Condition) {
		if whole = m.append.journal.Recording(); whole {
			c.LogFailed, c.LogStrict = "", false
		}
	})
	if whole && m.append.broken.Swap(false) {
		m.log.Warn("the append-only file is whole again", "changes-in-memory-only-meanwhile", m.append.journal.Missed())
	}
}

// reason is the system's own error within err: what MISCONF names.
func reason(err error) string {
	var no syscall.Errno
	if errors.As(err, &no) {
		return no.Error()
	}
	return err.Error()
}

// Journal is what waits for changes to be safe, for whoever is about to tell of them.
func (m *Manager) Journal() *aof.Journal { return m.append.journal }
