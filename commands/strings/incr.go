package strings

import (
	"math"

	"cellserver/commands"
	"cellserver/store"
)

// INCR, DECR, INCRBY and DECRBY add to the integer of a key and reply with the sum. An absent key
// is 0. The key keeps its expiry.
var (
	_ = commands.Register(&commands.Command{
		Name: "incr", Arity: 2, Flags: commands.Write | commands.DenyOOM | commands.Fast,
		Keys: commands.UpdatedKey, Group: commands.GroupString,
		Run: func(c *commands.Call) error { return add(c, 1) },
	})
	_ = commands.Register(&commands.Command{
		Name: "decr", Arity: 2, Flags: commands.Write | commands.DenyOOM | commands.Fast,
		Keys: commands.UpdatedKey, Group: commands.GroupString,
		Run: func(c *commands.Call) error { return add(c, -1) },
	})
	_ = commands.Register(&commands.Command{
		Name: "incrby", Arity: 3, Flags: commands.Write | commands.DenyOOM | commands.Fast,
		Keys: commands.UpdatedKey, Group: commands.GroupString, Run: incrby,
	})
	_ = commands.Register(&commands.Command{
		Name: "decrby", Arity: 3, Flags: commands.Write | commands.DenyOOM | commands.Fast,
		Keys: commands.UpdatedKey, Group: commands.GroupString, Run: decrby,
	})
)

const errOverflow commands.Error = "ERR increment or decrement would overflow"

func incrby(c *commands.Call) error {
	n, err := c.Int(2)
	if err != nil {
		return err
	}
	return add(c, n)
}

func decrby(c *commands.Call) error {
	n, err := c.Int(2)
	if err != nil {
		return err
	}
	if n == math.MinInt64 {
		return commands.Error("ERR decrement would overflow")
	}
	return add(c, -n)
}

func add(c *commands.Call, n int64) error {
	var e store.Entry
	c.Tx.FindIn(&e, c.Args[1], false)
	old, err := commands.Integer(&e)
	if err != nil {
		return err
	}
	sum := old + n
	if (sum > old) != (n > 0) && n != 0 {
		return errOverflow
	}
	e.SetInt(sum, e.ExpireAt())
	c.Notify(commands.StringEvents, "incrby", c.Args[1])
	c.Out.Int(sum)
	return nil
}
