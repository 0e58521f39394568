package commands

// BGSAVE [SCHEDULE] begins to write a snapshot in the background. While the append-only
// file is written anew it fails, or with SCHEDULE, as inside MULTI, comes after that.
var _ = register(&Command{
	Name: "bgsave", Arity: -1, Flags: Admin | NoScript | NoAsyncLoading, Group: ServerGroup, Since: "1.0.0",
	Summary: "Asynchronously save the dataset to disk", Usage: "[SCHEDULE]", Complexity: "O(1)", Run: bgsave,
})

func bgsave(c *Call) error {
	schedule := len(c.Args) == 2 && is(c.Args[1], "schedule")
	if len(c.Args) > 1 && !schedule {
		return errSyntax
	}
	p, inExec := c.Server.persistence, c.Client.inExec
	writing := p.Writing()
	switch {
	case writing == "rdb":
		return errSaving
	case writing != "" && !schedule && !inExec:
		return errOtherChild
	case writing != "" || inExec:
		p.ScheduleSave()
		c.Out.Simple("Background saving scheduled")
		return nil
	}
	if p.BackgroundSave() != nil {
		return errBlank
	}
	c.Out.Simple("Background saving started")
	return nil
}
