package admin

import "cellserver/commands"

// MODULE LIST says that the server has loaded no module. Tools ask at their start.
var _ = commands.Register(&commands.Command{
	Name: "module", Arity: -2, Group: commands.GroupServer, Since: "4.0.0", Categories: []string{},
	Summary: "A container for module commands", Complexity: "Depends on subcommand.",
	Subs: []*commands.Command{
		{
			Name: "list", Arity: 2, Flags: commands.Admin | commands.NoScript, Since: "4.0.0",
			Summary:    "List all modules loaded by the server",
			Complexity: "O(N) where N is the number of loaded modules.", Tips: commands.NondeterministicOrder,
			Help: []string{"LIST", "    Return a list of loaded modules."},
			Run: func(c *commands.Call) error {
				c.Out.Array(0)
				return nil
			},
		},
		commands.HelpCommand("5.0.0"),
	},
})
