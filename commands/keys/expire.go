package keys

import (
	"cellserver/commands"
	"cellserver/store"
)

// EXPIRE, PEXPIRE, EXPIREAT and PEXPIREAT set when a key's time is over; one that has
// passed removes the key. NX, XX, GT and LT make that depend on the expiry it has, GT
// and LT taking a key that stays for ever for one with an infinite time.
var (
	_ = commands.Register(&commands.Command{
		Name: "expire", Arity: -3, Flags: commands.Write | commands.Fast, Keys: commands.OneKey.With("RW UPDATE"), Group: commands.GroupGeneric, Since: "1.0.0",
		Summary: "Set a key's time to live in seconds", Usage: "key seconds [NX | XX | GT | LT]",
		Complexity: "O(1)", Run: func(c *commands.Call) error { return expire(c, &commands.ExpiryOptions[0]) },
	})
	_ = commands.Register(&commands.Command{
		Name: "pexpire", Arity: -3, Flags: commands.Write | commands.Fast, Keys: commands.OneKey.With("RW UPDATE"), Group: commands.GroupGeneric, Since: "2.6.0",
		Summary: "Set a key's time to live in milliseconds", Usage: "key milliseconds [NX | XX | GT | LT]",
		Complexity: "O(1)", Run: func(c *commands.Call) error { return expire(c, &commands.ExpiryOptions[1]) },
	})
	_ = commands.Register(&commands.Command{
		Name: "expireat", Arity: -3, Flags: commands.Write | commands.Fast, Keys: commands.OneKey.With("RW UPDATE"), Group: commands.GroupGeneric, Since: "1.2.0",
		Summary: "Set the expiration for a key as a UNIX timestamp", Usage: "key unix-time-seconds [NX | XX | GT | LT]",
		Complexity: "O(1)", Run: func(c *commands.Call) error { return expire(c, &commands.ExpiryOptions[2]) },
	})
	_ = commands.Register(&commands.Command{
		Name: "pexpireat", Arity: -3, Flags: commands.Write | commands.Fast, Keys: commands.OneKey.With("RW UPDATE"), Group: commands.GroupGeneric, Since: "2.6.0",
		Summary: "Set the expiration for a key as a UNIX timestamp specified in milliseconds", Usage: "key unix-time-milliseconds [NX | XX | GT | LT]",
		Complexity: "O(1)", Run: func(c *commands.Call) error { return expire(c, &commands.ExpiryOptions[3]) },
	})
)

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
	at, ok := o.Millis(n, c.NowMillis())
	if !ok {
		return commands.InvalidExpire(c.Cmd.FullName())
	}
	e := c.Tx.Write(c.Args[1])
	switch {
	case !e.Exists() || !cond.holds(e.ExpireAt(), at):
		c.Out.Int(0)
		return nil
	case at <= c.NowMillis():
		e.Delete()
	default:
		e.SetExpiry(at)
	}
	c.Out.Int(1)
	return nil
}

// expireCondition says of which expiries a new one may take the place.
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

// holds reports whether at may take the place of the expiry old.
func (o *expireCondition) holds(old, at int64) bool {
	stays := old == store.NoExpiry
	switch {
	case o.nx && !stays, o.xx && stays:
		return false
	case o.gt:
		return !stays && at > old
	case o.lt:
		return stays || at < old
	}
	return true
}
