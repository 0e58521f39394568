package connection

import (
	"math"

	"cellserver/commands"
)

// CLIENT PAUSE holds the commands of all clients back for some milliseconds of logical time, or
// only the commands that may write. CLIENT UNPAUSE ends the pause.
var (
	clientPause = &commands.Command{
		Name: "pause", Arity: -3, Flags: commands.AdminFlags, Run: pauseClients,
	}
	clientUnpause = &commands.Command{
		Name: "unpause", Arity: 2, Flags: commands.AdminFlags,
		Run: func(c *commands.Call) error {
			c.Server.Clients.Unpause()
			return commands.ReplyOK(c)
		},
	}
)

const errTimeoutRange commands.Error = "ERR timeout is out of range"

func pauseClients(c *commands.Call) error {
	all, until := true, int64(0)
	switch {
	case len(c.Args) > 4:
		return c.SubcommandSyntax()
	case len(c.Args) == 3 || commands.Is(c.Args[3], "all"):
	case commands.Is(c.Args[3], "write"):
		all = false
	default:
		return commands.Error("ERR CLIENT PAUSE mode must be WRITE or ALL")
	}
	timeout, err := c.Timeout(2)
	switch {
	case err != nil:
		return err
	case timeout > math.MaxInt64-c.NowMillis():
		return errTimeoutRange
	case timeout > 0:
		until = c.NowMillis() + timeout
	}
	c.Server.Clients.Pause(c.NowMillis(), until, all)
	return commands.ReplyOK(c)
}
