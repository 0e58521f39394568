package admin

import "cellserver/commands"

// BGSAVE [SCHEDULE] starts to write a snapshot in the background. While the server rewrites the
// append-only file, BGSAVE is an error. With SCHEDULE, and inside MULTI, it schedules the snapshot
// instead.
var _ = commands.Register(&commands.Command{
	Name: "bgsave", Arity: -1, Flags: commands.Admin | commands.NoScript | commands.NoAsyncLoading,
	Group: commands.GroupServer, Run: bgsave,
})

func bgsave(c *commands.Call) error {
	schedule := len(c.Args) == 2 && commands.Is(c.Args[1], "schedule")
	if len(c.Args) > 1 && !schedule {
		return commands.ErrSyntax
	}
	p, inExec := c.Server.Disk, c.Conn.Transaction.Running
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
