package sets

import (
	"bytes"

	"cellserver/commands"
)

// SMOVE source destination member moves a member to another set, and replies with 1 if it was there.
var _ = commands.Register(&commands.Command{
	Name: "smove", Arity: 4, Flags: commands.Write | commands.Fast,
	Keys: commands.TwoKeys.With("RW ACCESS DELETE; RW INSERT"), Group: commands.GroupSet, Run: smove,
})

func smove(c *commands.Call) error {
	from, err := values.Write(c, c.Args[1])
	if err != nil {
		return err
	}
	member := c.Args[3]
	if !from.Exists() {
		c.Out.Int(0)
		return nil
	}
	to, err := values.Write(c, c.Args[2])
	if err != nil {
		return err
	}
	if has := from.Set().Has(member); !has || bytes.Equal(c.Args[1], c.Args[2]) {
		c.ReplyBit(has)
		return nil
	}
	added := addMember(&to, member) // first: without memory for it, the member stays where it is
	removeMember(&from, member)
	c.NotifyRemoval(commands.SetEvents, "srem", &from)
	if added {
		c.Notify(commands.SetEvents, "sadd", c.Args[2])
	}
	c.Out.Int(1)
	return nil
}
