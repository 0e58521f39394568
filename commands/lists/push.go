package lists

import (
	"cellserver/commands"
	"cellserver/store"
)

// LPUSH key element [element …] puts elements before the first one, one after the other, and RPUSH behind
// the last one. They reply with the new length. LPUSHX and RPUSHX do so only if the list exists, and reply
// with 0 if it does not.
var (
	_ = registerPush("lpush", first, true)
	_ = registerPush("rpush", last, true)
	_ = registerPush("lpushx", first, false)
	_ = registerPush("rpushx", last, false)
)

func registerPush(name string, to *end, makes bool) *commands.Command {
	return commands.Register(&commands.Command{
		Name: name, Arity: -3, Flags: commands.Write | commands.DenyOOM | commands.Fast,
		Keys: commands.OneKey.With("RW INSERT"), Group: commands.GroupList,
		Run: func(c *commands.Call) error { return push(c, to, makes) },
	})
}

func push(c *commands.Call, to *end, makes bool) error {
	e, err := values.Write(c, c.Args[1])
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
