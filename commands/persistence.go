package commands

// Persistence keeps the keyspace on disk; the edge provides it. Its methods are safe for
// concurrent use, and must not be called while a transaction is active, but those that
// only tell something.
type Persistence interface {
	// Save writes a snapshot and returns once it is on disk, or why it is not.
	Save() error
	// BackgroundSave begins to write a snapshot, or returns why it cannot.
	BackgroundSave() error
	// ScheduleSave lets a snapshot be written as soon as nothing else is.
	ScheduleSave()
	// BackgroundRewrite begins to write the append-only file anew, or returns why it cannot.
	BackgroundRewrite() error
	// ScheduleRewrite lets it be written anew as soon as nothing else is.
	ScheduleRewrite()
	// Writing says what is written in the background: "rdb" a snapshot, "aof" the
	// append-only file anew, "" nothing.
	Writing() string
	// LastSave is the Unix second of the last snapshot, or else of the start.
	LastSave() int64
	// Flushed is told after FLUSHALL: what is on disk shall be empty, too. It returns
	// once that is so.
	Flushed()
	// Reload writes a snapshot and loads it in place of what there is, for DEBUG RELOAD.
	// After an error what there was may be gone.
	Reload() error
	// Info tells the fields of INFO's section.
	Info(add func(name string, value any))
}

// Condition is what keeps commands from running. The zero Condition is nothing.
type Condition struct {
	Loading    bool // data is being loaded
	SaveFailed bool // the last snapshot could not be written, and writes are refused for that

	// LogFailed is why the append-only file cannot be written, "" when it can. Limiters go on
	// then, as a full disk must not turn everyone away; with LogStrict nothing on keys does.
	LogFailed string
	LogStrict bool
}

// SetCondition says what keeps commands from running from now on.
func (s *Server) SetCondition(c Condition) {
	if c == (Condition{}) {
		s.condition.Store(nil)
		return
	}
	s.condition.Store(&c)
}

// Changes returns how many effects there have been since the start.
func (s *Server) Changes() int64 { return s.Store.Changes() }

const (
	errLoading    Error = "LOADING Redis is loading the dataset in memory"
	errSaveFailed Error = "MISCONF Redis is configured to save RDB snapshots, but it's currently unable to persist to disk. " +
		"Commands that may modify the data set are disabled, because this instance is configured to report errors during writes " +
		"if RDB snapshotting fails (stop-writes-on-bgsave-error option). Please check the Redis logs for details about the RDB error."
)

// errLogFailed is Redis's text for an append-only file that cannot be written.
func errLogFailed(reason string) error {
	return Error("MISCONF Errors writing to the AOF file: " + reason)
}

// checkCondition says whether a command may run under a condition. As in Redis, PING
// tells whether writes are refused.
func (c *Call) checkCondition(now *Condition) error {
	flags := c.effectiveFlags()
	switch {
	case now.Loading && (c.Cmd.Flags&Loading == 0 || flags&(Write|ReadOnly) != 0):
		return errLoading
	case now.SaveFailed && (flags&Write != 0 || c.Cmd.Name == "ping"):
		return errSaveFailed
	case now.LogFailed != "" && c.needsLog(now.LogStrict):
		return errLogFailed(now.LogFailed)
	}
	return nil
}

// needsLog reports whether a call must not run while changes cannot be logged.
func (c *Call) needsLog(strict bool) bool {
	flags := c.effectiveFlags()
	if strict {
		return flags&(Write|ReadOnly) != 0
	}
	return flags&Write != 0 && !c.limits()
}

// limits reports whether a call that writes is a limiter's, or a transaction whose writes are.
func (c *Call) limits() bool {
	if c.Cmd.Name != "exec" {
		return c.Cmd.Group == Limiter
	}
	for _, q := range c.Client.multi.queued {
		if q.cmd.Flags&Write != 0 && q.cmd.Group != Limiter {
			return false
		}
	}
	return true
}
