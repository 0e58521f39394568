package sortedsets

import "cellserver/commands"

// ZCOUNT key min max and ZLEXCOUNT key min max reply with the number of members in a range of
// scores or of members.
var (
	_ = commands.Register(&commands.Command{
		Name: "zcount", Arity: 4, Flags: commands.ReadOnly | commands.Fast, Keys: commands.OneKey,
		Group: commands.GroupSortedSet, Run: func(c *commands.Call) error { return zcount(c, byScore) },
	})
	_ = commands.Register(&commands.Command{
		Name: "zlexcount", Arity: 4, Flags: commands.ReadOnly | commands.Fast, Keys: commands.OneKey,
		Group: commands.GroupSortedSet, Run: func(c *commands.Call) error { return zcount(c, byLex) },
	})
)

func zcount(c *commands.Call, parse parseInterval) error {
	ranks, err := parse(c.Args[2], c.Args[3])
	if err != nil {
		return err
	}
	z, err := values.Read(c, c.Args[1])
	if err != nil {
		return err
	}
	lo, hi := ranks(z)
	c.Out.Int(int64(hi - lo))
	return nil
}
