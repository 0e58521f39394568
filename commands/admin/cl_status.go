package admin

import "cellserver/commands"

// CL.STATUS replies with numbers of the server as one JSON object: decisions by command and by rule, and how
// long they take. It also has memory, keys, persistence and the cluster, but no names of keys. Totals grow
// until CONFIG RESETSTAT, so two replies and their uptime_ms give the rates.
var _ = commands.Register(&commands.Command{
	Name: "cl.status", Arity: 1, Flags: commands.Loading | commands.Stale,
	Group: commands.GroupLimiter, Run: clStatus,
	Tips:    []string{"nondeterministic_output"},
	Summary: "Returns decisions, memory, keys, persistence and the cluster as JSON.", Complexity: "O(N) where N is the number of rules",
	Categories: []string{"throttle", "dangerous"},
})

func clStatus(c *commands.Call) error {
	c.Out.BulkString(c.Server.Stats.Report.Status())
	return nil
}
