package server

import (
	"sync"
	"sync/atomic"

	"cellserver/commands"
)

// Condition is a state of the server in which some commands are errors. In the zero Condition every
// command may run.
type Condition struct {
	Loading    bool // the server loads data
	SaveFailed bool // the last snapshot failed, so writes are errors

	// LogFailed is the reason why the server cannot write the append-only file, "" if it can.
	// Limiters still run, because a full disk must not make every request fail. With LogStrict all
	// commands on keys are errors.
	LogFailed string
	LogStrict bool
	// Outside means that this node of a cluster takes no part in it, for the reason LogFailed. PING is an
	// error, too.
	Outside bool

	follows *turn // while the server follows another one; otherwise nil
	copying bool  // the keys of the other one are here in part
}

// Follows reports whether the server follows another one. Then it is read-only.
func (c Condition) Follows() bool { return c.follows != nil }

// SetCondition replaces the condition. Any goroutine may call it.
func (s *Server) SetCondition(c Condition) {
	s.changeCondition(func(now *Condition) bool {
		c.follows, c.copying = now.follows, now.copying
		*now = c
		return true
	})
}

// changeCondition replaces the condition if change reports that it has changed it.
func (s *Server) changeCondition(change func(now *Condition) bool) (changed bool) {
	s.conditions.Lock()
	defer s.conditions.Unlock()
	now := s.Condition()
	switch changed = change(&now); {
	case changed && now == Condition{}:
		s.condition.Store(nil)
	case changed:
		s.condition.Store(&now)
	}
	return changed
}

// Condition returns the condition of the server. Any goroutine may call it.
func (s *Server) Condition() Condition {
	if now := s.condition.Load(); now != nil {
		return *now
	}
	return Condition{}
}

// The errors have the texts of Redis, because clients parse them.
const (
	errReadOnly   commands.Error = "READONLY You can't write against a read only replica."
	errLoading    commands.Error = "LOADING Redis is loading the dataset in memory"
	errSaveFailed commands.Error = "MISCONF Redis is configured to save RDB snapshots, but it's " +
		"currently unable to persist to disk. " +
		"Commands that may modify the data set are disabled, because this instance is configured to " +
		"report errors during writes " +
		"if RDB snapshotting fails (stop-writes-on-bgsave-error option). Please check the Redis logs " +
		"for details about the RDB error."
)

// errLogFailed has the text of Redis for an append-only file that it cannot write.
func errLogFailed(reason string) error {
	return commands.Error("MISCONF Errors writing to the AOF file: " + reason)
}

// checkCondition returns an error if a command may not run under a condition. As in Redis, PING is
// an error while writes are errors.
func checkCondition(call *commands.Call, now *Condition) error {
	const onKeys = commands.Write | commands.ReadOnly
	flags := call.EffectiveFlags()
	switch {
	case now.Loading && (call.Cmd.Flags&commands.Loading == 0 || flags&onKeys != 0):
		return errLoading
	case now.SaveFailed && (flags&commands.Write != 0 || call.Cmd.Name == "ping"):
		return errSaveFailed
	case now.Outside && call.Cmd.Name == "ping":
		return errLogFailed(now.LogFailed)
	case now.LogFailed != "" && needsLog(call, now.LogStrict):
		return errLogFailed(now.LogFailed)
	case now.follows != nil && flags&commands.Write != 0:
		return errReadOnly
	case now.copying && flags&onKeys != 0:
		return errLoading
	}
	return nil
}

// needsLog reports whether a command must not run while the server cannot log its effects.
func needsLog(call *commands.Call, strict bool) bool {
	flags := call.EffectiveFlags()
	if strict {
		return flags&(commands.Write|commands.ReadOnly) != 0
	}
	return flags&commands.Write != 0 && !limits(call)
}

// limits reports whether all writes of a command or of a transaction belong to limiters.
func limits(call *commands.Call) bool {
	if call.Cmd.Name != "exec" {
		return call.Cmd.Group == commands.GroupLimiter || call.Cmd.Flags&commands.RunsScript != 0 // its commands are checked
	}
	for _, q := range call.Conn.Transaction.Queue.Commands {
		if q.Cmd.Flags&commands.Write != 0 && q.Cmd.Group != commands.GroupLimiter {
			return false
		}
	}
	return true
}

// safety is why clients wait, or get errors, while data is not safe.
type safety struct {
	positions  Positions                 // nil: no reply waits
	condition  atomic.Pointer[Condition] // nil: no condition
	conditions sync.Mutex                // held while the condition changes
}

// mark returns the mark of the transport's Barrier.
func (s *safety) mark() uint64 {
	if s.positions == nil {
		return 0
	}
	return s.positions.Mark()
}

// need returns the position that the replies of a batch wait for, at its end; 0 for nothing.
func (s *safety) need(b *batch) uint64 {
	if s.positions == nil {
		return 0
	}
	return b.position(s.positions)
}
