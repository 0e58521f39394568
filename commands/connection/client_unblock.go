package connection

import "cellserver/commands"

// CLIENT UNBLOCK ends the blocking command of another client, as its timeout does or with an error.
var clientUnblock = &commands.Command{
	Name: "unblock", Arity: -3, Flags: commands.AdminFlags, Since: "5.0.0",
	Summary: "Unblock a client blocked in a blocking command from a different connection",
	Usage:   "client-id [TIMEOUT | ERROR]", Complexity: "O(log N) where N is the number of client connections",
	Help: []string{"UNBLOCK <clientid> [TIMEOUT|ERROR]", "    Unblock the specified blocked client."},
	Run:  unblock,
}

func unblock(c *commands.Call) error {
	withError := false
	switch {
	case len(c.Args) > 4:
		return c.SubcommandSyntax()
	case len(c.Args) == 3 || commands.Is(c.Args[3], "timeout"):
	case commands.Is(c.Args[3], "error"):
		withError = true
	default:
		return commands.Error("ERR CLIENT UNBLOCK reason should be TIMEOUT or ERROR")
	}
	id, err := c.Int(2)
	if err != nil {
		return err
	}
	c.ReplyBit(c.Server.Clients.Unblock(id, withError))
	return nil
}
