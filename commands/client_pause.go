package commands

import "math"

// CLIENT PAUSE holds back every client's commands, or those that may write, for a while;
// UNPAUSE ends that. The while is logical time.
var (
	clientPause = &Command{
		Name: "pause", Arity: -3, Flags: adminFlags, Since: "2.9.50",
		Summary: "Stop processing commands from clients for some time", Usage: "timeout [WRITE | ALL]", Complexity: "O(1)",
		Help: []string{"PAUSE <timeout> [WRITE|ALL]", "    Suspend all, or just write, clients for <timeout> milliseconds."},
		Run:  pauseClients,
	}
	clientUnpause = &Command{
		Name: "unpause", Arity: 2, Flags: adminFlags, Since: "6.2.0",
		Summary: "Resume processing of clients that were paused", Complexity: "O(N) Where N is the number of paused clients",
		Help: []string{"UNPAUSE", "    Stop the current client pause, resuming traffic."},
		Run: func(c *Call) error {
			c.Server.pause.Store(nil)
			return replyOK(c)
		},
	}
)

const errTimeoutRange Error = "ERR timeout is out of range"

// pause is a CLIENT PAUSE in force. It is not changed once others can see it.
type pause struct {
	until int64 // the last millisecond of it, Unix
	all   bool  // not only what may write
}

func pauseClients(c *Call) error {
	p := pause{all: true}
	switch {
	case len(c.Args) > 4:
		return c.subcommandSyntax()
	case len(c.Args) == 3 || is(c.Args[3], "all"):
	case is(c.Args[3], "write"):
		p.all = false
	default:
		return Error("ERR CLIENT PAUSE mode must be WRITE or ALL")
	}
	timeout, err := c.timeout(2)
	switch {
	case err != nil:
		return err
	case timeout > math.MaxInt64-c.NowMillis():
		return errTimeoutRange
	case timeout > 0:
		p.until = c.NowMillis() + timeout
	}
	c.Server.extendPause(c.NowMillis(), p)
	return replyOK(c)
}

// extendPause adds to the pause in force: the later end and the stricter kind win.
func (s *Server) extendPause(now int64, p pause) {
	for {
		old, next := s.pause.Load(), p
		if old != nil && old.until >= now {
			next = pause{max(old.until, p.until), old.all || p.all}
		}
		if s.pause.CompareAndSwap(old, &next) {
			return
		}
	}
}

// MayExpire reports whether expired keys may be removed in the background at now (Unix
// nanoseconds): not after DEBUG SET-ACTIVE-EXPIRE 0, and not while clients are paused,
// when the keyspace is to stay as it is.
func (s *Server) MayExpire(now int64) bool {
	p := s.pause.Load()
	return s.ActiveExpire.Load() && (p == nil || p.until < now/1e6)
}

// paused reports whether CLIENT PAUSE holds a command back.
func (s *Server) paused(call *Call) bool {
	p := s.pause.Load()
	switch {
	case p == nil:
		return false
	case p.until < call.NowMillis():
		s.pause.CompareAndSwap(p, nil)
		return false
	}
	return (p.all || call.mayWrite()) && call.Cmd.Flags&Unpaused == 0
}

// mayWrite reports whether a command, or one of those that EXEC is to run, may change
// the keyspace or what follows it.
func (c *Call) mayWrite() bool { return c.effectiveFlags()&(Write|MayReplicate) != 0 }

// effectiveFlags are a command's flags, EXEC's being those of what is queued.
func (c *Call) effectiveFlags() Flags {
	if c.Cmd.Name == "exec" {
		return c.Cmd.Flags | c.Client.multi.flags
	}
	return c.Cmd.Flags
}
