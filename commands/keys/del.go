package keys

import "cellserver/commands"

// DEL and UNLINK remove keys and reply with the number of removed keys. For both, the garbage
// collector frees the memory in another thread.
var (
	_ = commands.Register(&commands.Command{
		Name: "del", Arity: -2, Flags: commands.Write,
		Keys: commands.AllKeys.With("RM DELETE"), Group: commands.GroupGeneric, Since: "1.0.0",
		Summary: "Delete a key", Usage: "key [key ...]",
		Complexity: "O(N) where N is the number of keys that will be removed. When a key to remove " +
			"holds a value other than a string, " +
			"the individual complexity for this key is O(M) where M is the number of elements in the " +
			"list, set, sorted set or hash. " +
			"Removing a single key that holds a string value is O(1).",
		Tips: commands.MultiShardSum, Run: del,
	})
	_ = commands.Register(&commands.Command{
		Name: "unlink", Arity: -2, Flags: commands.Write | commands.Fast,
		Keys: commands.AllKeys.With("RM DELETE"), Group: commands.GroupGeneric, Since: "4.0.0",
		Summary: "Delete a key asynchronously in another thread. Otherwise it is just as DEL, but non blocking.", Usage: "key [key ...]",
		Complexity: "O(1) for each key removed regardless of its size. Then the command does O(N) work " +
			"in a different thread in order to reclaim memory, " +
			"where N is the number of allocations the deleted objects where composed of.",
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
