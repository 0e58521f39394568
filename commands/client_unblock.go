package commands

// CLIENT UNBLOCK ends another client's blocking command, as if its time were over or
// with an error.
var clientUnblock = &Command{
	Name: "unblock", Arity: -3, Flags: adminFlags, Since: "5.0.0",
	Summary: "Unblock a client blocked in a blocking command from a different connection",
	Usage:   "client-id [TIMEOUT | ERROR]", Complexity: "O(log N) where N is the number of client connections",
	Help: []string{"UNBLOCK <clientid> [TIMEOUT|ERROR]", "    Unblock the specified blocked client."},
	Run:  unblock,
}

func unblock(c *Call) error {
	how := wokenQuiet
	switch {
	case len(c.Args) > 4:
		return c.subcommandSyntax()
	case len(c.Args) == 3 || is(c.Args[3], "timeout"):
	case is(c.Args[3], "error"):
		how = wokenError
	default:
		return Error("ERR CLIENT UNBLOCK reason should be TIMEOUT or ERROR")
	}
	id, err := c.Int(2)
	if err != nil {
		return err
	}
	woken := int64(0)
	if target := c.Server.client(id); target != nil && target.unblock(how) {
		woken = 1
	}
	c.Out.Int(woken)
	return nil
}
