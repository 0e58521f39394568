package commands

// ZREM key member [member …] removes members and replies with how many were there.
var _ = register(&Command{
	Name: "zrem", Arity: -3, Flags: Write | Fast, Keys: removalKey, Group: SortedSet, Since: "1.2.0",
	Summary: "Remove one or more members from a sorted set", Usage: "key member [member ...]",
	Complexity: "O(M*log(N)) with N being the number of elements in the sorted set and M the number of elements to be removed.",
	Run:        zrem,
})

// removalKey is the key of a command that removes members unseen.
var removalKey = oneKey.access("RW DELETE")

func zrem(c *Call) error {
	e := c.Tx.Write(c.Args[1])
	if err := sortedEntry(&e); err != nil {
		return err
	}
	removed := 0
	for _, m := range c.Args[2:] {
		if e.ZRem(m) {
			removed++
		}
	}
	c.Out.Int(int64(removed))
	return nil
}
