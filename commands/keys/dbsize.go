package keys

import "cellserver/commands"

// DBSIZE replies with the number of keys in the selected database. Expired keys that are not
// removed yet count. DBSIZE takes no locks.
var _ = commands.Register(&commands.Command{
	Name: "dbsize", Arity: 1, Flags: commands.ReadOnly | commands.Fast, Group: commands.GroupServer,
	Categories: []string{"keyspace"},
	Tips:       []string{"request_policy:all_shards", "response_policy:agg_sum"},
	Run: func(c *commands.Call) error {
		c.Out.Int(int64(c.Server.Store.Len(c.Conn.DB)))
		return nil
	},
})
