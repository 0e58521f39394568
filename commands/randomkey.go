package commands

// RANDOMKEY replies with some key of the database, null when it is empty.
var _ = register(&Command{
	Name: "randomkey", Arity: 1, Flags: ReadOnly | Whole, Group: Generic, Since: "1.0.0",
	Summary: "Return a random key from the keyspace", Complexity: "O(1)",
	Tips: []string{"request_policy:all_shards", "nondeterministic_output"},
	Run: func(c *Call) error {
		if key := c.Tx.RandomKey(); key != nil {
			c.Out.Bulk(key)
		} else {
			c.Out.Null()
		}
		return nil
	},
})
