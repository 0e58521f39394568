package commands

// ZCARD key replies with the number of members.
var _ = register(&Command{
	Name: "zcard", Arity: 2, Flags: ReadOnly | Fast, Group: SortedSet, Since: "1.2.0",
	Keys:    oneKey.access("RO"), // the number says nothing of the members
	Summary: "Get the number of members in a sorted set", Usage: "key", Complexity: "O(1)", Run: zcard,
})

func zcard(c *Call) error {
	z, err := c.readSorted(c.Args[1])
	if err != nil {
		return err
	}
	n := 0
	if z != nil {
		n = z.Len()
	}
	c.Out.Int(int64(n))
	return nil
}
