package admin

import "cellserver/commands"

// aclLog shows the denials, newest first: 10 of them without a count.
func aclLog(c *commands.Call) error {
	count := int64(10)
	switch {
	case len(c.Args) > 3:
		return c.SubcommandSyntax()
	case len(c.Args) == 3 && commands.Is(c.Args[2], "reset"):
		c.Server.Stats.Logins.Forget()
		return commands.ReplyOK(c)
	case len(c.Args) == 3:
		var err error
		if count, err = c.Int(2); err != nil {
			return err
		}
	}
	w, entries := c.Out, c.Server.Stats.Logins.Denials(count)
	w.Array(len(entries))
	for _, e := range entries {
		w.Map(7)
		commands.Number(w, "count", e.Count)
		commands.Field(w, "reason", e.Reason.String())
		commands.Field(w, "context", e.Context)
		commands.Field(w, "object", e.Object)
		commands.Field(w, "username", e.User)
		w.BulkString("age-seconds")
		w.Double(float64(c.NowMillis()-e.At/1e6) / 1000)
		commands.Field(w, "client-info", e.Client)
	}
	return nil
}
