package keys

import "cellserver/commands"

// TYPE key replies with the type of a key: string, zset or none.
var _ = commands.Register(&commands.Command{
	Name: "type", Arity: 2, Flags: commands.ReadOnly | commands.Fast, Keys: commands.OneKey.With("RO"),
	Group: commands.GroupGeneric,
	Run: func(c *commands.Call) error {
		e := c.Tx.Look(c.Args[1])
		c.Out.Simple(e.Kind().Name())
		return nil
	},
})
