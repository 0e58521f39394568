package hashes

import "cellserver/commands"

// HSET key field value [field value …] sets fields and replies with the number of new fields. HMSET replies
// with OK. HSETNX sets a field only if it is absent, and replies with 1 if it did.
var (
	_ = commands.Register(&commands.Command{
		Name: "hset", Arity: -4, Flags: commands.Write | commands.DenyOOM | commands.Fast,
		Keys: commands.OneKey.With("RW UPDATE"), Group: commands.GroupHash,
		Run:  func(c *commands.Call) error { return hset(c, false) },
		Cost: commands.CostOfWords(changeSteps),
	})
	_ = commands.Register(&commands.Command{
		Name: "hmset", Arity: -4, Flags: commands.Write | commands.DenyOOM | commands.Fast,
		Keys: commands.OneKey.With("RW UPDATE"), Group: commands.GroupHash,
		Run: func(c *commands.Call) error { return hset(c, true) }, Cost: commands.CostOfWords(changeSteps),
	})
	_ = commands.Register(&commands.Command{
		Name: "hsetnx", Arity: 4, Flags: commands.Write | commands.DenyOOM | commands.Fast,
		Keys: commands.OneKey.With("RW INSERT"), Group: commands.GroupHash, Run: hsetnx,
	})
)

func hset(c *commands.Call, replyOK bool) error {
	if len(c.Args)%2 != 0 {
		return commands.WrongArity(c.Cmd.FullName())
	}
	e, err := values.Write(c, c.Args[1])
	if err != nil {
		return err
	}
	added := int64(0)
	for i := 2; i < len(c.Args); i += 2 {
		if setField(&e, c.Args[i], c.Args[i+1]) {
			added++
		}
	}
	c.Notify(commands.HashEvents, "hset", c.Args[1])
	if replyOK {
		c.Out.OK()
	} else {
		c.Out.Int(added)
	}
	return nil
}

func hsetnx(c *commands.Call) error {
	e, err := values.Write(c, c.Args[1])
	if err != nil {
		return err
	}
	if _, ok := e.Hash().Get(c.Args[2], nil); ok {
		c.Out.Int(0)
		return nil
	}
	setField(&e, c.Args[2], c.Args[3])
	c.Notify(commands.HashEvents, "hset", c.Args[1])
	c.Out.Int(1)
	return nil
}
