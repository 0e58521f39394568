package connection

import "cellserver/commands"

// CLIENT REPLY switches the replies of the connection off and on, or skips the next reply.
var clientReply = &commands.Command{
	Name: "reply", Arity: 3, Flags: commands.ConnectionFlags, Run: setReply,
}

func setReply(c *commands.Call) error {
	modes := &c.Conn.Modes
	switch arg := c.Args[2]; {
	case commands.Is(arg, "on"):
		modes.Reply = commands.ReplyOn
		c.Out.OK()
	case commands.Is(arg, "off"):
		modes.Reply = commands.ReplyOff
	case !commands.Is(arg, "skip"):
		return commands.ErrSyntax
	case modes.Reply != commands.ReplyOff:
		modes.Reply = commands.ReplySkipNext
	}
	return nil
}
