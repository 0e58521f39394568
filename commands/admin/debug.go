package admin

import (
	"math"
	"strings"
	"time"

	"cellserver/commands"
)

// DEBUG is for tests. It sets the logical clock, and it has subcommands that tools of Redis need.
// enable-debug-command must allow it.
var _ = commands.Register(&commands.Command{
	Name: "debug", Arity: -2, Flags: commands.Unpaused | commands.AdminFlags, Group: commands.GroupServer,
	Run: debug,
})

var debugCommands = map[string]struct {
	args int // number of arguments after the subcommand; -1 means any number
	run  func(c *commands.Call) error
}{
	"clock":             {-1, debugClock},
	"sleep":             {1, debugSleep},
	"set-active-expire": {1, debugSetActiveExpire},
	"protocol":          {1, debugProtocol},
	"log":               {1, debugLog},
	"panic":             {0, debugPanic},
	"reload":            {0, debugReload},
	"jmap":              {0, commands.ReplyOK},
	"help":              {0, debugHelp},
}

func debug(c *commands.Call) error {
	if !c.Server.Config().EnableDebugCommand.Allows(c.Conn.Link.IsLocal()) {
		return commands.NotAllowed("DEBUG", "enable-debug-command")
	}
	cmd, ok := debugCommands[strings.ToLower(string(c.Args[1]))]
	if !ok || cmd.args >= 0 && len(c.Args) != 2+cmd.args {
		return commands.UnknownSubcommandOrArity("DEBUG", c.Args[1])
	}
	return cmd.run(c)
}

const errLeaderClock commands.Error = "ERR the leader has the clock of the cluster: send DEBUG CLOCK to the leader"

// debugClock is DEBUG CLOCK SET unix-nanoseconds | ADVANCE nanoseconds | STEP nanoseconds | RESUME.
// It changes the logical time of the whole server: limiters, expiry and TIME follow it.
//
// SET and ADVANCE stop the clock at the new time, which must be from 0 to the largest int64. STEP
// sets the wall clock; the time does not go back with a long step (clock-step-limit). The rest of the batch
// runs at the new time. A transaction runs to its end at the time of its begin. The leader of a cluster
// moves the time of all nodes, which never goes back.
func debugClock(c *commands.Call) error {
	if t := c.Server.Control.Topology(); t != nil && t.Epoch() == 0 {
		return errLeaderClock
	}
	if err := setClock(c, c.Args[2:]); err != nil {
		return err
	}
	c.Conn.Now = c.Server.Clock.Now()
	c.Server.Clients.WakeAll()
	return commands.ReplyOK(c)
}

func setClock(c *commands.Call, args [][]byte) error {
	switch {
	case len(args) == 1 && commands.Is(args[0], "resume"):
		c.Server.Clock.Resume()
	case len(args) == 2 && commands.Is(args[0], "set"):
		n, err := c.Int(3)
		if err != nil {
			return err
		}
		if n < 0 {
			return commands.ErrNotPositive
		}
		c.Server.Clock.Set(n)
	case len(args) == 2 && commands.Is(args[0], "advance"):
		return moveClock(c, c.Server.Clock.Advance)
	case len(args) == 2 && commands.Is(args[0], "step"):
		if c.Conn.Transaction.Running {
			return commands.ErrNotInMulti // its locks would be waited for
		}
		return moveClock(c, c.Server.Clock.Step)
	default:
		return commands.ErrSyntax
	}
	return nil
}

// moveClock moves the clock by the nanoseconds of the third argument.
func moveClock(c *commands.Call, move func(nanos int64)) error {
	n, err := c.Int(3)
	if err != nil {
		return err
	}
	if now := c.Server.Clock.Now(); n > math.MaxInt64-now || n < -now {
		return commands.ErrOutOfRange
	}
	move(n)
	return nil
}

// longestSleep is the longest DEBUG SLEEP in seconds: a century. Longer times may not fit into
// nanoseconds.
const longestSleep = 100 * 365 * 24 * 3600

// debugSleep delays this connection for some seconds of real time. Unlike in Redis, other clients
// continue. Inside EXEC, clients that need the keys of the transaction wait.
func debugSleep(c *commands.Call) error {
	seconds, ok := commands.ParseFloat(c.Args[2])
	if !ok {
		return commands.ErrNotFloat
	}
	now, pause := c.Server.Clock.Monotonic(), int64(min(max(seconds, 0), longestSleep)*float64(time.Second))
	if c.Conn.Transaction.Running {
		time.Sleep(time.Duration(pause))
		return commands.ReplyOK(c)
	}
	if c.Conn.Wait.Until == 0 {
		c.Conn.Wait = commands.Wait{Until: now + pause, Monotonic: true}
	}
	if now < c.Conn.Wait.Until {
		return commands.TryAgain
	}
	c.Slept = now - (c.Conn.Wait.Until - pause)
	c.Conn.Wait = commands.Wait{}
	return commands.ReplyOK(c)
}

func debugSetActiveExpire(c *commands.Call) error {
	n, err := c.Int(2)
	if err != nil {
		return err
	}
	c.Server.Control.SetActiveExpire(n != 0)
	return commands.ReplyOK(c)
}

func debugLog(c *commands.Call) error {
	c.Server.Log.Warn("DEBUG LOG: " + string(c.Args[2]))
	return commands.ReplyOK(c)
}

func debugReload(c *commands.Call) error {
	if c.Conn.Transaction.Running {
		return commands.ErrNotInMulti // Reload needs the locks that the transaction holds
	}
	if err := c.Server.Disk.Reload(); err != nil {
		c.Server.Log.Error("DEBUG RELOAD failed", "error", err)
		return commands.Error("ERR Error trying to load the RDB dump, check server logs.")
	}
	return commands.ReplyOK(c)
}

func debugPanic(*commands.Call) error { panic("DEBUG PANIC was asked for") }

func debugHelp(c *commands.Call) error {
	return c.Help("DEBUG", "CLOCK SET <unix-nanoseconds> | ADVANCE <nanoseconds> | STEP <nanoseconds> | RESUME",
		"    Stop the server's logical time at a moment, move it on, or let it run again.",
		"    STEP sets the wall clock under the server, as an operator or NTP would.",
		"LOG <message>", "    Write <message> to the server log.",
		"PANIC", "    Make a command panic: its connection is closed, the server goes on.",
		"PROTOCOL <type>", "    Reply with a test value of the specified type. <type> can be: string,",
		"    integer, double, null, array, set, map, attrib, push, verbatim, true, false, bignum.",
		"RELOAD", "    Save the RDB on disk and reload it back to memory.",
		"SET-ACTIVE-EXPIRE <0|1>", "    Setting it to 0 disables expiring keys (and hash values) in background",
		"    (otherwise the Redis behavior).",
		"SLEEP <seconds>", "    Hold this connection for <seconds>. Decimals allowed.")
}
