package admin

import "cellserver/commands"

// BGREWRITEAOF starts to rewrite the append-only file in the background. Inside MULTI, and while
// the server writes a snapshot, it schedules the rewrite.
var _ = commands.Register(&commands.Command{
	Name: "bgrewriteaof", Arity: 1, Flags: commands.Admin | commands.NoScript | commands.NoAsyncLoading,
	Group: commands.GroupServer, Run: bgRewriteAOF,
})

const errRewriting commands.Error = "ERR Background append only file rewriting already in progress"

func bgRewriteAOF(c *commands.Call) error {
	p := c.Server.Disk
	writing := p.Writing()
	switch {
	case writing == "aof":
		return errRewriting
	case writing != "" || c.Conn.Transaction.Running:
		p.ScheduleRewrite()
		c.Out.Simple("Background append only file rewriting scheduled")
		return nil
	}
	if p.BackgroundRewrite() != nil {
		return commands.Error("ERR Can't execute an AOF background rewriting. Please check the server " +
			"logs for more information.")
	}
	c.Out.Simple("Background append only file rewriting started")
	return nil
}
