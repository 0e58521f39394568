package connection

import "cellserver/commands"

// CLIENT UNBLOCK ends the blocking command of another client, as its timeout does or with an error.
var clientUnblock = &commands.Command{
	Name: "unblock", Arity: -3, Flags: commands.AdminFlags, Run: unblock,
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
