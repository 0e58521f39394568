package commands

import (
	"math"
	"strings"
	"time"
)

// DEBUG serves tests: the clock that can be set, and what Redis's own tools ask for. It
// runs only where enable-debug-command allows it.
var _ = register(&Command{
	Name: "debug", Arity: -2, Flags: Unpaused | adminFlags, Group: ServerGroup, Since: "1.0.0",
	Summary: "A container for debugging commands", Usage: "subcommand [argument ...]", Complexity: "Depends on subcommand.",
	Run: debug,
})

var debugCommands = map[string]struct {
	args int // after the subcommand; -1: any number
	run  func(c *Call) error
}{
	"clock":             {-1, debugClock},
	"sleep":             {1, debugSleep},
	"set-active-expire": {1, debugSetActiveExpire},
	"protocol":          {1, debugProtocol},
	"log":               {1, debugLog},
	"panic":             {0, debugPanic},
	"reload":            {0, debugReload},
	"jmap":              {0, replyOK},
	"help":              {0, debugHelp},
}

func debug(c *Call) error {
	if !c.Server.Config().EnableDebugCommand.Allows(c.Client.isLocal()) {
		return notAllowed("DEBUG", "enable-debug-command")
	}
	cmd, ok := debugCommands[strings.ToLower(string(c.Args[1]))]
	if !ok || cmd.args >= 0 && len(c.Args) != 2+cmd.args {
		return unknownSubcommandOrArity("DEBUG", c.Args[1])
	}
	return cmd.run(c)
}

// debugClock is DEBUG CLOCK SET unix-nanoseconds | ADVANCE nanoseconds | RESUME: all of
// the server's logical time, throttling, expiry and TIME, follows it. SET and ADVANCE
// stop the clock there, which knows no time before the epoch and none beyond int64. What
// is left of the batch runs at the new time, but a transaction at the one it began with.
func debugClock(c *Call) error {
	args := c.Args[2:]
	switch {
	case len(args) == 1 && is(args[0], "resume"):
		c.Server.Clock.Resume()
	case len(args) == 2 && is(args[0], "set"):
		n, err := c.Int(3)
		if err != nil {
			return err
		}
		if n < 0 {
			return errNotPositive
		}
		c.Server.Clock.Set(n)
	case len(args) == 2 && is(args[0], "advance"):
		n, err := c.Int(3)
		if err != nil {
			return err
		}
		if now := c.Server.Clock.Now(); n > math.MaxInt64-now || n < -now {
			return errOutOfRange
		}
		c.Server.Clock.Advance(n)
	default:
		return errSyntax
	}
	c.Client.now = c.Server.Clock.Now()
	return replyOK(c)
}

// longestSleep, in seconds, is a century: what is beyond would not fit nanoseconds.
const longestSleep = 100 * 365 * 24 * 3600

// debugSleep holds this connection for some seconds of real time. Unlike Redis's it
// holds nobody else, but inside EXEC those who need the transaction's keys.
func debugSleep(c *Call) error {
	seconds, ok := parseFloat(c.Args[2])
	if !ok {
		return errNotFloat
	}
	now, pause := c.Server.Clock.Monotonic(), int64(min(max(seconds, 0), longestSleep)*float64(time.Second))
	if c.Client.inExec {
		time.Sleep(time.Duration(pause))
		return replyOK(c)
	}
	if c.Client.wakeAt == 0 {
		c.Client.wakeAt = now + pause
	}
	if now < c.Client.wakeAt {
		return tryAgain
	}
	c.slept = now - (c.Client.wakeAt - pause)
	c.Client.wakeAt = 0
	return replyOK(c)
}

func debugSetActiveExpire(c *Call) error {
	n, err := c.Int(2)
	if err != nil {
		return err
	}
	c.Server.ActiveExpire.Store(n != 0)
	return replyOK(c)
}

func debugLog(c *Call) error {
	c.Server.Log.Warn("DEBUG LOG: " + string(c.Args[2]))
	return replyOK(c)
}

func debugReload(c *Call) error {
	if c.Client.inExec {
		return errNotInMulti // its locks would be waited for
	}
	if err := c.Server.persistence.Reload(); err != nil {
		c.Server.Log.Error("DEBUG RELOAD failed", "error", err)
		return Error("ERR Error trying to load the RDB dump, check server logs.")
	}
	return replyOK(c)
}

func debugPanic(*Call) error { panic("DEBUG PANIC was asked for") }

func debugHelp(c *Call) error {
	return c.help("DEBUG", "CLOCK SET <unix-nanoseconds> | ADVANCE <nanoseconds> | RESUME",
		"    Stop the server's logical time at a moment, move it on, or let it run again.",
		"LOG <message>", "    Write <message> to the server log.",
		"PANIC", "    Make a command panic: its connection is closed, the server goes on.",
		"PROTOCOL <type>", "    Reply with a test value of the specified type. <type> can be: string,",
		"    integer, double, null, array, set, map, attrib, push, verbatim, true, false, bignum.",
		"RELOAD", "    Save the RDB on disk and reload it back to memory.",
		"SET-ACTIVE-EXPIRE <0|1>", "    Setting it to 0 disables expiring keys (and hash values) in background",
		"    (otherwise the Redis behavior).",
		"SLEEP <seconds>", "    Hold this connection for <seconds>. Decimals allowed.")
}
