package commands

import (
	"slices"

	"cellserver/limiters"
	"cellserver/resp"
	"cellserver/store"
)

// Call is one call of a command. It is valid until Run returns.
type Call struct {
	Cmd    *Command
	Args   [][]byte     // Args[0] is the command's name; all alias the input buffer
	Now    int64        // logical time, Unix nanoseconds
	Tx     *store.Tx    // the transaction that has locked the command's keys; nil if the footprint is empty
	Out    *resp.Writer // the reply goes here
	Conn   *Conn        // the connection that sent the command
	Server *Server
	Runner Runner
	Events Events // the keyspace events that are on

	// Secret has the positions of arguments that other clients must not see, in ascending order. MONITOR
	// and SLOWLOG show them as "(redacted)".
	Secret []int

	InScript bool // a script calls the command

	// Slept is the time in nanoseconds that the command has waited between its tries. It counts as
	// time of the command.
	Slept int64
}

// Runner runs a command inside another command, under the locks of the outer command.
type Runner interface {
	Run(inner *Call)
	// RunInScript is Run for a command of a script. It returns the panic of the command, with its stack: the
	// interpreter must not hide it.
	RunInScript(inner *Call) (panicked any)
	// Alone reports whether no other client waits for the command.
	Alone() bool
	// Admit returns the error of a command that a script must not run now. wrote says that the script has
	// written: then the state of the server is no reason.
	Admit(inner *Call, wrote bool) error
	// Permit returns the error of a command that the user must not run. lastKey is the position of its last
	// key, 0 for that of [Call.KeysNow].
	Permit(c *Call, lastKey int) error
	// Refuse counts a command of a script that must not run. inner.Cmd is nil if there is no such command.
	Refuse(inner *Call, err error)
}

// Other returns a call of another command by the same connection, in the same transaction.
func (c *Call) Other(cmd *Command, args [][]byte) Call {
	return Call{
		Cmd: cmd, Args: args, Now: c.Now, Tx: c.Tx, Out: c.Out,
		Conn: c.Conn, Server: c.Server, Runner: c.Runner, Events: c.Events,
	}
}

// Name returns the command's full name, "" if there is no such command.
func (c *Call) Name() string {
	if c.Cmd == nil {
		return ""
	}
	return c.Cmd.FullName()
}

// Shown returns argument i as MONITOR and SLOWLOG show it.
func (c *Call) Shown(i int) []byte {
	if _, isSecret := slices.BinarySearch(c.Secret, i); isSecret { // a call may have a million secrets
		return []byte("(redacted)")
	}
	return c.Args[i]
}

// Hide makes all arguments from position i on secret, and no others.
func (c *Call) Hide(i int) {
	c.Secret = c.Secret[:0]
	for ; i < len(c.Args); i++ {
		c.Secret = append(c.Secret, i)
	}
}

// NowMillis returns the logical time in Unix milliseconds.
func (c *Call) NowMillis() int64 { return c.Now / 1e6 }

// EffectiveFlags returns the command's flags. The flags of EXEC include the flags of all queued
// commands. A script that begins with #!lua says itself whether it writes.
func (c *Call) EffectiveFlags() Flags {
	switch {
	case c.Cmd.Flags&RunsScript != 0:
		return c.Server.Scripts.Flags(c, ScriptOf(c))
	case c.Cmd.Name == "exec":
		return c.Cmd.Flags | c.Conn.Transaction.Queue.Flags
	}
	return c.Cmd.Flags
}

// MayHold reports whether a connection may keep this number of bytes between its requests
// (client-query-buffer-limit). If not, MayHold logs a warning, and the caller must close the
// connection. what names the bytes in the log.
func (c *Call) MayHold(what string, bytes int) bool {
	if int64(bytes) <= c.Server.Config().ClientQueryBufferLimit {
		return true
	}
	c.Server.Log.Warn("closing a client that keeps more than client-query-buffer-limit: raise the "+
		"limit if the client is right",
		"kept", what, "client", c.Conn.Link.Peer.RemoteAddr(), "bytes", bytes)
	return false
}

// MustAuthenticate reports whether the connection has to authenticate before other commands.
func (c *Conn) MustAuthenticate(s *Server) bool {
	return c.Identity.User == s.Users.Guest && !s.Users.Default.Open()
}

// Verdict is an error that is not a reply. It tells the session what to do after the command. The
// session still sends a reply that the command has written.
type Verdict resp.Status

// The verdicts that commands return.
const (
	CloseConnection = Verdict(resp.Close) // after the reply
	TryAgain        = Verdict(resp.Retry) // the command must wait: the session calls it again at the end of Conn.Wait, or after Peer.Wake
	// TakesLong: the script takes long, and has changed nothing. The session calls it again on a
	// goroutine of its own.
	TakesLong = Verdict(resp.Offload)
	// Restart: the command has changed nothing, and runs again at once. Its footprint has changed.
	Restart = Verdict(-1)
)

// Error implements error. No client gets the text.
func (Verdict) Error() string { return "verdict" }

// CheckString returns an error unless an entry is absent or a string.
func CheckString(e *store.Entry) error { return limiters.CheckString(e) }

// CheckKind returns an error unless an entry is absent or of a kind.
func CheckKind(e *store.Entry, kind store.Kind) error {
	if k := e.Kind(); k != store.None && k != kind {
		return ErrWrongType
	}
	return nil
}

// Integer returns the integer of a string entry, 0 for an absent one.
func Integer(e *store.Entry) (int64, error) { return limiters.Integer(e) }
