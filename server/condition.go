package server

import "cellserver/commands"

// Condition is what keeps commands from running. The zero Condition keeps none.
type Condition struct {
	Loading    bool // data is being loaded
	SaveFailed bool // the last snapshot failed, and writes are refused for that

	// LogFailed is why the append-only file cannot be written, "" if it can. Limiters still run,
	// because a full disk must not refuse every request. With LogStrict no command on keys runs.
	LogFailed string
	LogStrict bool
}

// SetCondition sets what keeps commands from running from now on.
func (s *Server) SetCondition(c Condition) {
	if c == (Condition{}) {
		s.condition.Store(nil)
		return
	}
	s.condition.Store(&c)
}

const (
	errLoading    commands.Error = "LOADING Redis is loading the dataset in memory"
	errSaveFailed commands.Error = "MISCONF Redis is configured to save RDB snapshots, but it's currently unable to persist to disk. " +
		"Commands that may modify the data set are disabled, because this instance is configured to report errors during writes " +
		"if RDB snapshotting fails (stop-writes-on-bgsave-error option). Please check the Redis logs for details about the RDB error."
)

// errLogFailed is Redis's text for an append-only file that cannot be written.
func errLogFailed(reason string) error {
	return commands.Error("MISCONF Errors writing to the AOF file: " + reason)
}

// checkCondition says whether a command may run under a condition. As in Redis, PING tells
// whether writes are refused.
func checkCondition(call *commands.Call, now *Condition) error {
	const onKeys = commands.Write | commands.ReadOnly
	flags := call.EffectiveFlags()
	switch {
	case now.Loading && (call.Cmd.Flags&commands.Loading == 0 || flags&onKeys != 0):
		return errLoading
	case now.SaveFailed && (flags&commands.Write != 0 || call.Cmd.Name == "ping"):
		return errSaveFailed
	case now.LogFailed != "" && needsLog(call, now.LogStrict):
		return errLogFailed(now.LogFailed)
	}
	return nil
}

// needsLog reports whether a call must not run while changes cannot be logged.
func needsLog(call *commands.Call, strict bool) bool {
	flags := call.EffectiveFlags()
	if strict {
		return flags&(commands.Write|commands.ReadOnly) != 0
	}
	return flags&commands.Write != 0 && !limits(call)
}

// limits reports whether a call that writes belongs to a limiter, or to a transaction in which
// all writes do.
func limits(call *commands.Call) bool {
	if call.Cmd.Name != "exec" {
		return call.Cmd.Group == commands.GroupLimiter
	}
	for _, q := range call.Conn.Transaction.Queue.Commands {
		if q.Cmd.Flags&commands.Write != 0 && q.Cmd.Group != commands.GroupLimiter {
			return false
		}
	}
	return true
}
