package commands

// QUIT says goodbye: the replies before it leave first.
var _ = register(&Command{
	Name: "quit", Arity: -1, Flags: connectionFlags | Fast | NoAuth | AllowBusy | Immediate | whileSubscribed, Group: Connection, Since: "1.0.0",
	Summary: "Close the connection", Complexity: "O(1)",
	Run: func(c *Call) error {
		c.Out.OK()
		return closeConnection
	},
})
