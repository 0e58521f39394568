package commands

// ZRANK key member replies with the number of members before the given one, ZREVRANK
// with the number after it; null when it is not there.
var (
	_ = register(&Command{
		Name: "zrank", Arity: 3, Flags: ReadOnly | Fast, Keys: oneKey, Group: SortedSet, Since: "2.0.0",
		Summary: "Determine the index of a member in a sorted set", Usage: "key member", Complexity: "O(log(N))",
		Run: func(c *Call) error { return c.zrank(false) },
	})
	_ = register(&Command{
		Name: "zrevrank", Arity: 3, Flags: ReadOnly | Fast, Keys: oneKey, Group: SortedSet, Since: "2.0.0",
		Summary: "Determine the index of a member in a sorted set, with scores ordered from high to low",
		Usage:   "key member", Complexity: "O(log(N))",
		Run: func(c *Call) error { return c.zrank(true) },
	})
)

func (c *Call) zrank(reverse bool) error {
	z, err := c.readSorted(c.Args[1])
	if err != nil {
		return err
	}
	if z == nil {
		c.Out.Null()
		return nil
	}
	rank, ok := z.Rank(c.Args[2])
	switch {
	case !ok:
		c.Out.Null()
	case reverse:
		c.Out.Int(int64(z.Len() - 1 - rank))
	default:
		c.Out.Int(int64(rank))
	}
	return nil
}
