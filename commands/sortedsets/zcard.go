package sortedsets

import "cellserver/commands"

// ZCARD key replies with the number of members.
var _ = commands.Register(&commands.Command{
	Name: "zcard", Arity: 2, Flags: commands.ReadOnly | commands.Fast, Run: zcard,
	Group: commands.GroupSortedSet,
	Keys:  commands.OneKey.With("RO"), // without ACCESS: the reply has no data of the members
})

func zcard(c *commands.Call) error {
	z, err := readSorted(c, c.Args[1])
	if err != nil {
		return err
	}
	c.Out.Int(int64(z.Len()))
	return nil
}
