package commands

// BGREWRITEAOF begins to write the append-only file anew in the background, as short as
// its contents allow; while a snapshot is written, and inside MULTI, it comes after that.
var _ = register(&Command{
	Name: "bgrewriteaof", Arity: 1, Flags: Admin | NoScript | NoAsyncLoading, Group: ServerGroup, Since: "1.0.0",
	Summary: "Asynchronously rewrite the append-only file", Complexity: "O(1)", Run: bgRewriteAOF,
})

const errRewriting Error = "ERR Background append only file rewriting already in progress"

func bgRewriteAOF(c *Call) error {
	p := c.Server.persistence
	writing := p.Writing()
	switch {
	case writing == "aof":
		return errRewriting
	case writing != "" || c.Client.inExec:
		p.ScheduleRewrite()
		c.Out.Simple("Background append only file rewriting scheduled")
		return nil
	}
	if p.BackgroundRewrite() != nil {
		return Error("ERR Can't execute an AOF background rewriting. Please check the server logs for more information.")
	}
	c.Out.Simple("Background append only file rewriting started")
	return nil
}
