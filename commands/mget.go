package commands

// MGET key [key ...] replies with the string of each key, null for one that is absent
// or no string.
var _ = register(&Command{
	Name: "mget", Arity: -2, Flags: ReadOnly | Fast, Keys: allKeys, Group: String, Since: "1.0.0",
	Summary: "Get the values of all the given keys", Usage: "key [key ...]",
	Complexity: "O(N) where N is the number of keys to retrieve.",
	Tips:       []string{"request_policy:multi_shard"}, Run: mget,
})

func mget(c *Call) error {
	c.Out.Array(len(c.Args) - 1)
	for _, key := range c.Args[1:] {
		e := c.Tx.Read(key)
		if c.replyString(&e) != nil {
			c.Out.Null()
		}
	}
	return nil
}
