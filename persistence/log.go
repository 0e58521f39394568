package persistence

import (
	"errors"
	"sync"
	"sync/atomic"
	"syscall"

	"cellserver/persistence/aof"
)

// appendLog is the append-only file: its journal, its directory and its rewrites.
type appendLog struct {
	*environment
	directory *directory
	jobs      *jobs

	journal *aof.Journal
	wanted  atomic.Bool // the configuration asks for a log
	broken  atomic.Bool // the journal could not write the log, and no rewrite has followed

	mu  sync.Mutex // held while files come and go: during the start, and during a rewrite
	dir *aof.Dir   // nil: no log was wanted so far

	scheduled atomic.Bool  // a rewrite begins as soon as no other job runs
	base      atomic.Int64 // bytes of the base
	before    atomic.Int64 // bytes of the files of changes before the current one
	rewrites  rewrites
}

// rewrites has the numbers of the rewrites.
type rewrites struct {
	count    atomic.Int64
	failures failures
	ended    atomic.Int64 // monotonic time of the last end
	lasted   atomic.Int64 // nanoseconds of the last rewrite
	took     atomic.Int64 // its seconds, -1: none yet
	copied   atomic.Int64 // the most bytes of copies at once
}

// own makes sure that the server owns a directory for the log.
func (a *appendLog) own() error {
	set := a.settings.Load()
	if err := a.directory.own(a.fs, set.Dir); err != nil {
		return err
	}
	if a.dir != nil {
		return nil
	}
	dir, err := a.openNew(set)
	a.dir = dir
	return err
}

// mayBegin returns an error if a log of other data is where the settings ask for a new one. moves says that
// the settings have another directory.
func (a *appendLog) mayBegin(set *Settings, moves bool) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.dir != nil && !moves {
		return nil
	}
	_, err := a.openNew(set)
	return err
}

// openNew opens the directory of a log that the server has not loaded. It must have no data. After an error
// the result is nil.
func (a *appendLog) openNew(set *Settings) (*aof.Dir, error) {
	dir, err := aof.Open(a.fs, set.Dir, set.AppendDir, set.AppendName)
	if err != nil {
		return nil, err
	}
	if base, changes, _, err := dir.Stat(); err != nil || base+changes > 0 {
		return nil, errors.Join(err, &ErrIgnored{[]string{dir.Path()}, "it is a log that this server has not " +
			"loaded: move it away first, because the new log would replace it"})
	}
	return dir, nil
}

// measure updates the sizes of the files that are complete.
func (a *appendLog) measure() {
	base, changes, _, _ := a.dir.Stat() // the next start says what is missing
	a.base.Store(base)
	a.before.Store(changes - a.journal.Size())
}

// size returns the size of the log in bytes.
func (a *appendLog) size() int64 { return a.base.Load() + a.before.Load() + a.journal.Size() }

// The journal calls failed when it cannot write the log. It then records nothing.
func (a *appendLog) failed(err error) {
	always := a.journal.Policy() == aof.Always
	a.update(func(c *Condition) { c.LogFailed, c.LogStrict = systemError(err), always })
	if a.broken.Swap(true) {
		return
	}
	refused := "limiters go on in memory, other writes are refused"
	if always {
		refused = "all commands on keys are refused, and unacknowledged changes may be lost"
	}
	a.log.Error("append-only file cannot be written: free disk space or repair the directory; the "+
		"server then rewrites the file by itself",
		"until-then", refused, "error", err)
}

// restored follows a rewrite. It reports that the log is complete again, unless the log has failed again.
func (a *appendLog) restored() {
	complete := true
	a.update(func(c *Condition) {
		if complete = a.journal.Recording(); complete {
			c.LogFailed, c.LogStrict = "", false
		}
	})
	if complete && a.broken.Swap(false) {
		a.log.Warn("append-only file is complete again", "changes-in-memory-only-meanwhile", a.journal.Missed())
	}
}

// systemError returns the text of the operating system's error in err, for the error MISCONF.
func systemError(err error) string {
	if no, is := errors.AsType[syscall.Errno](err); is {
		return no.Error()
	}
	return err.Error()
}

// The times between a rewrite and the next automatic rewrite, in nanoseconds. After each failure in a row
// the time doubles. The rewrite of a failed log comes sooner, but rewrites take at most a fifth of the time.
const (
	rewriteEvery    = int64(10e9)
	maxRewriteEvery = int64(300e9)
	restoreEvery    = int64(1e9)
	maxRestoreEvery = int64(60e9)
	restoreShare    = 5
)

// due reports whether a rewrite of the log is due.
func (a *appendLog) due(now int64) bool {
	if a.scheduled.Load() {
		return true
	}
	since := now - a.rewrites.ended.Load()
	switch {
	case !a.wanted.Load():
		return false
	case !a.journal.Recording():
		return since >= min(max(restoreEvery, restoreShare*a.rewrites.lasted.Load()), maxRestoreEvery)
	case since < min(rewriteEvery<<min(a.rewrites.failures.Load(), 10), maxRewriteEvery):
		return false
	}
	return a.hasGrown()
}

// hasGrown reports whether the log has the size at which the configuration asks for a rewrite.
func (a *appendLog) hasGrown() bool {
	set, size, base := a.settings.Load(), a.size(), max(a.base.Load(), 1)
	grown := float64(size-base) / float64(base) * 100
	return set.RewritePercentage > 0 && size > set.RewriteMinSize && grown >= float64(set.RewritePercentage)
}
