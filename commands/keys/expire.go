package keys

import (
	"cellserver/commands"
	"cellserver/store"
)

// EXPIRE, PEXPIRE, EXPIREAT and PEXPIREAT set the expiry of a key. A time in the past deletes the
// key.
//
// The options NX, XX, GT and LT are conditions on the old expiry. For GT and LT, a key without
// expiry has an infinite one.
var (
	_ = registerExpire("expire", &commands.ExpiryOptions[0])
	_ = registerExpire("pexpire", &commands.ExpiryOptions[1])
	_ = registerExpire("expireat", &commands.ExpiryOptions[2])
	_ = registerExpire("pexpireat", &commands.ExpiryOptions[3])
)

func registerExpire(name string, o *commands.ExpiryOption) *commands.Command {
	return commands.Register(&commands.Command{
		Name: name, Arity: -3, Flags: commands.Write | commands.Fast,
		Keys: commands.OneKey.With("RW UPDATE"), Group: commands.GroupGeneric,
		Run: func(c *commands.Call) error { return expire(c, o) },
	})
}

const (
	errExpireNX   commands.Error = "ERR NX and XX, GT or LT options at the same time are not compatible"
	errExpireGTLT commands.Error = "ERR GT and LT options at the same time are not compatible"
)

func expire(c *commands.Call, o *commands.ExpiryOption) error {
	cond, err := parseExpireCondition(c.Args[3:])
	if err != nil {
		return err
	}
	n, err := c.Int(2)
	if err != nil {
		return err
	}
	at, ok := o.Millis(c, n)
	if !ok {
		return commands.InvalidExpire(c.Cmd.FullName())
	}
	e := c.Tx.Write(c.Args[1])
	switch {
	case !e.Exists() || !cond.holds(e.ExpireAt(), at):
		c.Out.Int(0)
		return nil
	case c.IsPast(at):
		e.Delete()
		c.Notify(commands.GenericEvents, "del", c.Args[1])
	default:
		e.SetExpiry(at)
		c.Notify(commands.GenericEvents, "expire", c.Args[1])
	}
	c.Out.Int(1)
	return nil
}

// expireCondition is the condition on the old expiry under which a new expiry is set.
type expireCondition struct{ nx, xx, gt, lt bool }

func parseExpireCondition(args [][]byte) (o expireCondition, err error) {
	for _, a := range args {
		switch {
		case commands.Is(a, "nx"):
			o.nx = true
		case commands.Is(a, "xx"):
			o.xx = true
		case commands.Is(a, "gt"):
			o.gt = true
		case commands.Is(a, "lt"):
			o.lt = true
		default:
			return o, commands.Error("ERR Unsupported option " + commands.Clip(a, len(a)))
		}
	}
	switch {
	case o.nx && (o.xx || o.gt || o.lt):
		return o, errExpireNX
	case o.gt && o.lt:
		return o, errExpireGTLT
	}
	return o, nil
}

// holds reports whether at may replace the expiry old. Both are in Unix milliseconds.
func (o *expireCondition) holds(old, at int64) bool {
	persistent := old == store.NoExpiry
	switch {
	case o.nx && !persistent, o.xx && persistent:
		return false
	case o.gt:
		return !persistent && at > old
	case o.lt:
		return persistent || at < old
	}
	return true
}
