package connection

import "cellserver/commands"

// QUIT closes the connection after the replies to earlier commands and to QUIT itself.
var _ = commands.Register(&commands.Command{
	Name: "quit", Arity: -1,
	Flags: commands.ConnectionFlags | commands.Fast | commands.NoAuth | commands.AllowBusy |
		commands.Immediate | commands.WhileSubscribed,
	Group: commands.GroupConnection,
	Run: func(c *commands.Call) error {
		c.Out.OK()
		return commands.CloseConnection
	},
})
