package sets

import (
	"cellserver/commands"
	"cellserver/store/set"
)

// SISMEMBER key member replies with 1 if a member is there. SMISMEMBER key member [member …] replies
// with an array of such numbers. SCARD key replies with the number of members.
var (
	_ = commands.Register(&commands.Command{
		Name: "sismember", Arity: 3, Flags: commands.ReadOnly | commands.Fast,
		Keys: commands.OneKey.With("RO"), Group: commands.GroupSet, Run: values.Reply(sismember),
	})
	_ = commands.Register(&commands.Command{
		Name: "smismember", Arity: -3, Flags: commands.ReadOnly | commands.Fast, Keys: commands.OneKey,
		Group: commands.GroupSet, Run: values.Reply(smismember), Cost: commands.CostOfWords(seekSteps),
	})
	_ = commands.Register(&commands.Command{
		Name: "scard", Arity: 2, Flags: commands.ReadOnly | commands.Fast, Keys: commands.OneKey.With("RO"),
		Group: commands.GroupSet, Run: values.Len(),
	})
)

func sismember(c *commands.Call, s set.Set) {
	c.ReplyBit(s.Has(c.Args[2]))
}

func smismember(c *commands.Call, s set.Set) {
	c.Out.Array(len(c.Args) - 2)
	for _, member := range c.Args[2:] {
		c.ReplyBit(s.Has(member))
	}
}
