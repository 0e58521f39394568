package keys

import "cellserver/commands"

// DEL and UNLINK remove keys and reply with the number of removed keys. For both, the garbage
// collector frees the memory in another thread.
var (
	_ = commands.Register(&commands.Command{
		Name: "del", Arity: -2, Flags: commands.Write, Keys: commands.AllKeys.With("RM DELETE"),
		Group: commands.GroupGeneric, Tips: commands.MultiShardSum, Run: del,
	})
	_ = commands.Register(&commands.Command{
		Name: "unlink", Arity: -2, Flags: commands.Write | commands.Fast,
		Keys: commands.AllKeys.With("RM DELETE"), Group: commands.GroupGeneric,
		Tips: commands.MultiShardSum, Run: del,
	})
)

func del(c *commands.Call) error {
	n := int64(0)
	for _, key := range c.Args[1:] {
		if e := c.Tx.Peek(key); e.Delete() {
			n++
			c.Notify(commands.GenericEvents, "del", key)
		}
	}
	c.Out.Int(n)
	return nil
}
