package strings

import "cellserver/commands"

// MGET key [key ...] replies with the string of each key. An absent key, and a key of another type,
// is null.
var _ = commands.Register(&commands.Command{
	Name: "mget", Arity: -2, Flags: commands.ReadOnly | commands.Fast, Keys: commands.AllKeys,
	Group: commands.GroupString, Tips: []string{"request_policy:multi_shard"}, Run: mget,
	Cost: commands.CostOfValues(1),
})

func mget(c *commands.Call) error {
	c.Out.Array(len(c.Args) - 1)
	for _, key := range c.Args[1:] {
		e := c.Tx.Read(key)
		if replyString(c, &e) != nil {
			c.Out.Null()
		}
	}
	return nil
}
