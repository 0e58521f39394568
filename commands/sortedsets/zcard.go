package sortedsets

import "cellserver/commands"

// ZCARD key replies with the number of members.
var _ = commands.Register(&commands.Command{
	Name: "zcard", Arity: 2, Flags: commands.ReadOnly | commands.Fast,
	Group: commands.GroupSortedSet, Since: "1.2.0",
	Keys:    commands.OneKey.With("RO"), // without ACCESS: the reply has no data of the members
	Summary: "Get the number of members in a sorted set", Usage: "key", Complexity: "O(1)", Run: zcard,
})

func zcard(c *commands.Call) error {
	z, err := readSorted(c, c.Args[1])
	if err != nil {
		return err
	}
	c.Out.Int(int64(z.Len()))
	return nil
}
