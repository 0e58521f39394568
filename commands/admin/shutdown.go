package admin

import "cellserver/commands"

// SHUTDOWN [NOSAVE | SAVE] [NOW] [FORCE] stops the server. On success it closes the connection without a
// reply. While a script is busy, only NOSAVE stops it. ABORT is always an error: a shutdown begins at once,
// and nothing can abort it.
var _ = commands.Register(&commands.Command{
	Name: "shutdown", Arity: -1, Flags: commands.AdminFlags | commands.NoMulti | commands.AllowBusy,
	Group: commands.GroupServer, Run: shutdown,
})

func shutdown(c *commands.Call) error {
	var mode commands.ShutdownMode
	abort := false
	for _, a := range c.Args[1:] {
		switch {
		case commands.Is(a, "nosave"):
			mode.NoSave = true
		case commands.Is(a, "save"):
			mode.Save = true
		case commands.Is(a, "now"):
			mode.Now = true
		case commands.Is(a, "force"):
			mode.Force = true
		case commands.Is(a, "abort"):
			abort = true
		default:
			return commands.ErrSyntax
		}
	}
	switch {
	case mode.Save && mode.NoSave, abort && mode != commands.ShutdownMode{}:
		return commands.ErrSyntax
	case abort:
		return commands.Error("ERR No shutdown in progress.")
	case !mode.NoSave && c.Server.Scripts.Busy(c):
		return commands.ErrBusy
	}
	known, err := c.Server.Control.Shutdown(mode)
	if err != nil {
		c.Server.Log.Error("SHUTDOWN failed", "error", err)
	}
	if err != nil || !known {
		return errShutdown
	}
	return commands.CloseConnection
}

const errShutdown commands.Error = "ERR Errors trying to SHUTDOWN. Check logs."
