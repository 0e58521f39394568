package commands

// ECHO message replies with it.
var _ = register(&Command{
	Name: "echo", Arity: 2, Flags: Loading | Stale | Fast, Group: Connection, Since: "1.0.0",
	Summary: "Echo the given string", Usage: "message", Complexity: "O(1)",
	Run: func(c *Call) error {
		c.Out.Bulk(c.Args[1])
		return nil
	},
})
