package sets

import "cellserver/commands"

// SISMEMBER key member replies with 1 if a member is there. SMISMEMBER key member [member …] replies
// with an array of such numbers. SCARD key replies with the number of members.
var (
	_ = commands.Register(&commands.Command{
		Name: "sismember", Arity: 3, Flags: commands.ReadOnly | commands.Fast,
		Keys: commands.OneKey.With("RO"), Group: commands.GroupSet, Run: sismember,
	})
	_ = commands.Register(&commands.Command{
		Name: "smismember", Arity: -3, Flags: commands.ReadOnly | commands.Fast, Keys: commands.OneKey,
		Group: commands.GroupSet, Run: smismember, Cost: commands.CostOfWords(seekSteps),
	})
	_ = commands.Register(&commands.Command{
		Name: "scard", Arity: 2, Flags: commands.ReadOnly | commands.Fast, Keys: commands.OneKey.With("RO"),
		Group: commands.GroupSet, Run: scard,
	})
)

func sismember(c *commands.Call) error {
	s, err := readSet(c, c.Args[1])
	if err != nil {
		return err
	}
	c.ReplyBit(s.Has(c.Args[2]))
	return nil
}

func smismember(c *commands.Call) error {
	s, err := readSet(c, c.Args[1])
	if err != nil {
		return err
	}
	c.Out.Array(len(c.Args) - 2)
	for _, member := range c.Args[2:] {
		c.ReplyBit(s.Has(member))
	}
	return nil
}

func scard(c *commands.Call) error {
	s, err := readSet(c, c.Args[1])
	if err != nil {
		return err
	}
	c.Out.Int(int64(s.Len()))
	return nil
}
