package strings

import "cellserver/commands"

// MGET key [key ...] replies with the string of each key. An absent key, and a key of another type,
// is null.
var _ = commands.Register(&commands.Command{
	Name: "mget", Arity: -2, Flags: commands.ReadOnly | commands.Fast | commands.Linear, Keys: commands.AllKeys, Group: commands.GroupString, Since: "1.0.0",
	Summary: "Get the values of all the given keys", Usage: "key [key ...]",
	Complexity: "O(N) where N is the number of keys to retrieve.",
	Tips:       []string{"request_policy:multi_shard"}, Run: mget,
})

func mget(c *commands.Call) error {
	begin := c.Out.Mark()
	c.Out.Array(len(c.Args) - 1)
	for _, key := range c.Args[1:] {
		e := c.Tx.Read(key)
		switch err := replyString(c, &e); err {
		case nil:
		case commands.ErrWrongType:
			c.Out.Null()
		default:
			return err
		}
		if err := c.TakesBytes(c.Out.Mark() - begin); err != nil {
			return err
		}
	}
	return nil
}
