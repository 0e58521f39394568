package admin

import "cellserver/commands"

// TIME replies with the time of the wall clock: the Unix second, and the microseconds since that second.
var _ = commands.Register(&commands.Command{
	Name: "time", Arity: 1, Flags: commands.Loading | commands.Stale | commands.Fast,
	Group: commands.GroupServer, Tips: commands.NondeterministicOutput,
	Run: func(c *commands.Call) error {
		now := c.Wall()
		c.Out.Array(2)
		c.Out.BulkInt(now / 1e9)
		c.Out.BulkInt(now % 1e9 / 1e3)
		return nil
	},
})
