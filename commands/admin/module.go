package admin

import "cellserver/commands"

// MODULE LIST says that the server has loaded no module. Tools ask at their start.
var _ = commands.Register(&commands.Command{
	Name: "module", Arity: -2, Group: commands.GroupServer, Categories: []string{},
	Subs: []*commands.Command{
		{
			Name: "list", Arity: 2, Flags: commands.Admin | commands.NoScript,
			Tips: commands.NondeterministicOrder,
			Run: func(c *commands.Call) error {
				c.Out.Array(0)
				return nil
			},
		},
		commands.HelpCommand(),
	},
})
