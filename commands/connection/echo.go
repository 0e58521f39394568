package connection

import "cellserver/commands"

// ECHO message replies with the message.
var _ = commands.Register(&commands.Command{
	Name: "echo", Arity: 2, Flags: commands.Loading | commands.Stale | commands.Fast,
	Group: commands.GroupConnection, Since: "1.0.0",
	Summary: "Echo the given string", Usage: "message", Complexity: "O(1)",
	Run: func(c *commands.Call) error {
		c.Out.Bulk(c.Args[1])
		return nil
	},
})
