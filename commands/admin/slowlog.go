package admin

import "cellserver/commands"

// SLOWLOG shows the commands that took slowlog-log-slower-than microseconds or more.
var _ = commands.Register(&commands.Command{
	Name: "slowlog", Arity: -2, Group: commands.GroupServer,
	Subs: []*commands.Command{
		{
			Name: "get", Arity: -2, Flags: commands.Admin | commands.Loading | commands.Stale,
			Tips: []string{"request_policy:all_nodes", "nondeterministic_output"}, Run: slowlogGet,
		},
		{
			Name: "len", Arity: 2, Flags: commands.Admin | commands.Loading | commands.Stale,
			Tips: []string{"request_policy:all_nodes", "response_policy:agg_sum", "nondeterministic_output"},
			Run:  slowlogLen,
		},
		{
			Name: "reset", Arity: 2, Flags: commands.Admin | commands.Loading | commands.Stale,
			Tips: commands.AllNodesSucceed, Run: slowlogReset,
		},
		commands.HelpCommand(),
	},
})

func slowlogGet(c *commands.Call) error {
	n := int64(10)
	switch len(c.Args) {
	case 2:
	case 3:
		var ok bool
		if n, ok = commands.ParseInt(c.Args[2]); !ok || n < -1 {
			return commands.Error("ERR count should be greater than or equal to -1")
		}
	default:
		return c.SubcommandSyntax()
	}
	entries, gap := c.Server.Stats.Slow.Newest(n), c.GapMillis()/1000
	c.Out.Array(len(entries))
	for _, e := range entries {
		c.Out.Array(6)
		c.Out.Int(e.ID)
		c.Out.Int(e.Seconds - gap)
		c.Out.Int(e.Micros)
		commands.StringArray(c.Out, e.Args)
		c.Out.BulkString(e.Client)
		c.Out.BulkString(e.Name)
	}
	return nil
}

func slowlogLen(c *commands.Call) error {
	c.Out.Int(int64(c.Server.Stats.Slow.Len()))
	return nil
}

func slowlogReset(c *commands.Call) error {
	c.Server.Stats.Slow.Reset()
	return commands.ReplyOK(c)
}
