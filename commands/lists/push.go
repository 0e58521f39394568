package lists

import (
	"cellserver/commands"
	"cellserver/store"
)

// LPUSH key element [element …] puts elements before the first one, one after the other, and RPUSH behind
// the last one. They reply with the new length. LPUSHX and RPUSHX do so only if the list exists, and reply
// with 0 if it does not.
var (
	_ = commands.Register(&commands.Command{
		Name: "lpush", Arity: -3, Flags: pushFlags, Keys: pushKey, Group: commands.GroupList,
		Run: func(c *commands.Call) error { return push(c, first, true) },
	})
	_ = commands.Register(&commands.Command{
		Name: "rpush", Arity: -3, Flags: pushFlags, Keys: pushKey, Group: commands.GroupList,
		Run: func(c *commands.Call) error { return push(c, last, true) },
	})
	_ = commands.Register(&commands.Command{
		Name: "lpushx", Arity: -3, Flags: pushFlags, Keys: pushKey, Group: commands.GroupList,
		Run: func(c *commands.Call) error { return push(c, first, false) },
	})
	_ = commands.Register(&commands.Command{
		Name: "rpushx", Arity: -3, Flags: pushFlags, Keys: pushKey, Group: commands.GroupList,
		Run: func(c *commands.Call) error { return push(c, last, false) },
	})
)

const pushFlags = commands.Write | commands.DenyOOM | commands.Fast

var pushKey = commands.OneKey.With("RW INSERT")

func push(c *commands.Call, to *end, makes bool) error {
	e, err := writeList(c, c.Args[1])
	if err != nil {
		return err
	}
	if !makes && !e.Exists() {
		c.Out.Int(0)
		return nil
	}
	for _, element := range c.Args[2:] {
		e.Change(to.push, store.Operands{Value: element})
	}
	c.Notify(commands.ListEvents, to.pushed, c.Args[1])
	c.Out.Int(int64(e.List().Len()))
	return nil
}
