package admin

import "cellserver/commands"

// CL.STATUS replies with numbers of the server as one JSON object. They are about decisions by command and by
// rule, their durations, memory, keys, persistence, the cluster, and the 100 connections that lease most. The
// reply names no key. Totals grow until CONFIG RESETSTAT: the rates follow from two replies and their
// uptime_ms.
var _ = commands.Register(&commands.Command{
	Name: "cl.status", Arity: 1, Flags: commands.Loading | commands.Stale, Group: commands.GroupLimiter,
	Tips: []string{"nondeterministic_output"}, Categories: []string{"throttle", "dangerous"}, Run: clStatus,
})

func clStatus(c *commands.Call) error {
	c.Out.BulkString(c.Server.Stats.Report.Status())
	return nil
}
