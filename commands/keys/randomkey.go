package keys

import "cellserver/commands"

// RANDOMKEY replies with a random key of the database, null if the database is empty.
var _ = commands.Register(&commands.Command{
	Name: "randomkey", Arity: 1, Flags: commands.ReadOnly | commands.WholeKeyspace,
	Group: commands.GroupGeneric, Tips: []string{"request_policy:all_shards", "nondeterministic_output"},
	Run: func(c *commands.Call) error {
		if key := c.Tx.RandomKey(); key != nil {
			c.Out.Bulk(key)
		} else {
			c.Out.Null()
		}
		return nil
	},
})
