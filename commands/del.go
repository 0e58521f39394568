package commands

// DEL and UNLINK remove keys and reply with how many of them there were. Memory is
// given back by the garbage collector, aside, for both.
var (
	_ = register(&Command{
		Name: "del", Arity: -2, Flags: Write, Keys: allKeys.access("RM DELETE"), Group: Generic, Since: "1.0.0",
		Summary: "Delete a key", Usage: "key [key ...]",
		Complexity: "O(N) where N is the number of keys that will be removed. When a key to remove holds a value other than a string, " +
			"the individual complexity for this key is O(M) where M is the number of elements in the list, set, sorted set or hash. " +
			"Removing a single key that holds a string value is O(1).",
		Tips: multiShardSum, Run: del,
	})
	_ = register(&Command{
		Name: "unlink", Arity: -2, Flags: Write | Fast, Keys: allKeys.access("RM DELETE"), Group: Generic, Since: "4.0.0",
		Summary: "Delete a key asynchronously in another thread. Otherwise it is just as DEL, but non blocking.", Usage: "key [key ...]",
		Complexity: "O(1) for each key removed regardless of its size. Then the command does O(N) work in a different thread in order to reclaim memory, " +
			"where N is the number of allocations the deleted objects where composed of.",
		Tips: multiShardSum, Run: del,
	})
)

func del(c *Call) error {
	n := int64(0)
	for _, key := range c.Args[1:] {
		if e := c.Tx.Peek(key); e.Delete() {
			n++
		}
	}
	c.Out.Int(n)
	return nil
}
