package sets

import (
	"cellserver/commands"
	"cellserver/store/set"
)

// SADD key member [member …] adds members and replies with the number of new members. SREM key member
// [member …] removes members and replies with the number of removed members.
var (
	_ = commands.Register(&commands.Command{
		Name: "sadd", Arity: -3, Flags: commands.Write | commands.DenyOOM | commands.Fast,
		Keys: commands.OneKey.With("RW INSERT"), Group: commands.GroupSet, Run: sadd,
		Cost: commands.CostOfWords(changeSteps),
	})
	_ = commands.Register(&commands.Command{
		Name: "srem", Arity: -3, Flags: commands.Write | commands.Fast,
		Keys: commands.OneKey.With("RW DELETE"), Group: commands.GroupSet,
		Run: values.Remove(commands.SetEvents, set.Delete), Cost: commands.CostOfWords(changeSteps),
	})
)

func sadd(c *commands.Call) error {
	e, err := values.Write(c, c.Args[1])
	if err != nil {
		return err
	}
	n := int64(0)
	for _, member := range c.Args[2:] {
		if addMember(&e, member) {
			n++
		}
	}
	if n > 0 {
		c.Notify(commands.SetEvents, "sadd", c.Args[1])
	}
	c.Out.Int(n)
	return nil
}
