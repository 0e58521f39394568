package admin

import "cellserver/commands"

// LASTSAVE replies with the Unix second of the last snapshot. Without a snapshot it replies with
// the second of the start.
var _ = commands.Register(&commands.Command{
	Name: "lastsave", Arity: 1, Flags: commands.Loading | commands.Stale | commands.Fast,
	Group: commands.GroupServer, Tips: commands.NondeterministicOutput,
	Categories: []string{"admin", "dangerous"},
	Run: func(c *commands.Call) error {
		c.Out.Int(c.Server.Disk.LastSave())
		return nil
	},
})
