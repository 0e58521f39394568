package commands

// LASTSAVE replies with the Unix second of the last snapshot that was written, or else of
// the start.
var _ = register(&Command{
	Name: "lastsave", Arity: 1, Flags: Loading | Stale | Fast, Group: ServerGroup, Since: "1.0.0",
	Summary: "Get the UNIX time stamp of the last successful save to disk", Complexity: "O(1)",
	Tips: nondeterministicOutput, Categories: []string{"admin", "dangerous"},
	Run: func(c *Call) error {
		c.Out.Int(c.Server.persistence.LastSave())
		return nil
	},
})
