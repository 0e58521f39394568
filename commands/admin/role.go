package admin

import "cellserver/commands"

// ROLE replies with the role of the server in replication: a master without replicas.
var _ = commands.Register(&commands.Command{
	Name: "role", Arity: 1, Flags: commands.ConnectionFlags | commands.Fast, Group: commands.GroupServer, Since: "2.8.12",
	Summary: "Return the role of the instance in the context of replication", Complexity: "O(1)",
	Categories: []string{"admin", "dangerous"},
	Run: func(c *commands.Call) error {
		c.Out.Array(3)
		c.Out.BulkString("master")
		c.Out.Int(0)
		c.Out.Array(0)
		return nil
	},
})
