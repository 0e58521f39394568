package sets

import (
	"cellserver/commands"
	"cellserver/store/set"
)

// SRANDMEMBER key [count] replies with a random member, or null. With a positive count it replies with so
// many different members, or with all if there are fewer. With a negative count it replies with exactly
// -count members, which may repeat, or with none if the set is empty.
var _ = commands.Register(&commands.Command{
	Name: "srandmember", Arity: -2, Flags: commands.ReadOnly, Keys: commands.OneKey,
	Group: commands.GroupSet, Tips: commands.NondeterministicOutput, Run: srandmember,
	Cost: commands.CostOfRandom("", seekSteps),
})

func srandmember(c *commands.Call) error {
	if len(c.Args) > 3 {
		return commands.ErrSyntax
	}
	r, err := commands.ParseRandom(c.Args[2:], "")
	if err != nil {
		return err
	}
	s, err := values.Read(c, c.Args[1])
	if err != nil {
		return err
	}
	var room set.Room
	return c.ReplyRandom(r, &commands.Members{
		Len: s.Len(), Start: func(n int) { c.Out.Array(n) },
		Reply: func(rank int) { c.Out.Bulk(s.At(rank, &room)) },
		All:   func() { replyMembers(c, s) },
	})
}
