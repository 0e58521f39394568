package commands

// SHUTDOWN [NOSAVE | SAVE] [NOW] [FORCE] stops the server; on success there is no reply,
// the connection closes. ABORT finds nothing to abort: a shutdown begins at once.
var _ = register(&Command{
	Name: "shutdown", Arity: -1, Flags: adminFlags | NoMulti | AllowBusy, Group: ServerGroup, Since: "1.0.0",
	Summary: "Synchronously save the dataset to disk and then shut down the server",
	Usage:   "[NOSAVE | SAVE] [NOW] [FORCE] [ABORT]", Run: shutdown,
	Complexity: "O(N) when saving, where N is the total number of keys in all databases when saving data, otherwise O(1)",
})

func shutdown(c *Call) error {
	var mode ShutdownMode
	abort := false
	for _, a := range c.Args[1:] {
		switch {
		case is(a, "nosave"):
			mode.NoSave = true
		case is(a, "save"):
			mode.Save = true
		case is(a, "now"):
			mode.Now = true
		case is(a, "force"):
			mode.Force = true
		case is(a, "abort"):
			abort = true
		default:
			return errSyntax
		}
	}
	switch {
	case mode.Save && mode.NoSave, abort && mode != ShutdownMode{}:
		return errSyntax
	case abort:
		return Error("ERR No shutdown in progress.")
	}
	if c.Server.shutdown == nil {
		return errShutdown
	}
	if err := c.Server.shutdown(mode); err != nil {
		c.Server.Log.Error("SHUTDOWN failed", "error", err)
		return errShutdown
	}
	return closeConnection
}

const errShutdown Error = "ERR Errors trying to SHUTDOWN. Check logs."
