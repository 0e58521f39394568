package connection

import "cellserver/commands"

// ECHO message replies with the message.
var _ = commands.Register(&commands.Command{
	Name: "echo", Arity: 2, Flags: commands.Loading | commands.Stale | commands.Fast,
	Group: commands.GroupConnection,
	Run: func(c *commands.Call) error {
		c.Out.Bulk(c.Args[1])
		return nil
	},
})
