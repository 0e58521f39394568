package hashes

import (
	"cellserver/commands"
	"cellserver/internal/decimal"
	"cellserver/internal/longdouble"
)

// HINCRBY key field increment adds to the integer in a field and replies with the sum. HINCRBYFLOAT adds to
// the number in a field, with a long double as Redis does. An absent field is 0.
var (
	_ = commands.Register(&commands.Command{
		Name: "hincrby", Arity: 4, Flags: commands.Write | commands.DenyOOM | commands.Fast,
		Keys: commands.UpdatedKey, Group: commands.GroupHash, Run: hincrby,
	})
	_ = commands.Register(&commands.Command{
		Name: "hincrbyfloat", Arity: 4, Flags: commands.Write | commands.DenyOOM | commands.Fast,
		Keys: commands.UpdatedKey, Group: commands.GroupHash, Run: hincrbyfloat,
	})
)

const (
	errNotIntegerField commands.Error = "ERR hash value is not an integer"
	errNotFloatField   commands.Error = "ERR hash value is not a float"
	errOverflow        commands.Error = "ERR increment or decrement would overflow"
	errIncrementInf    commands.Error = "ERR value is NaN or Infinity"
	errNaNOrInf        commands.Error = "ERR increment would produce NaN or Infinity"
)

func hincrby(c *commands.Call) error {
	by, ok := commands.ParseInt(c.Args[3])
	if !ok {
		return commands.ErrNotInteger
	}
	e, err := values.Write(c, c.Args[1])
	if err != nil {
		return err
	}
	var digits [20]byte
	n := int64(0)
	if val, found := e.Hash().Get(c.Args[2], digits[:0]); found {
		if n, ok = decimal.Parse(val); !ok {
			return errNotIntegerField
		}
	}
	sum := n + by
	if by > 0 && sum < n || by < 0 && sum > n {
		return errOverflow
	}
	setField(&e, c.Args[2], decimal.Append(digits[:0], sum))
	c.Notify(commands.HashEvents, "hincrby", c.Args[1])
	c.Out.Int(sum)
	return nil
}

func hincrbyfloat(c *commands.Call) error {
	by, ok := longdouble.Parse(c.Args[3])
	switch {
	case !ok:
		return commands.ErrNotFloat
	case by.IsInf():
		return errIncrementInf
	}
	e, err := values.Write(c, c.Args[1])
	if err != nil {
		return err
	}
	var digits [20]byte
	n := longdouble.New()
	if val, found := e.Hash().Get(c.Args[2], digits[:0]); found {
		if n, ok = longdouble.Parse(val); !ok {
			return errNotFloatField
		}
	}
	sum, ok := longdouble.Add(n, by)
	if !ok {
		return errNaNOrInf
	}
	text := longdouble.Format(sum)
	setField(&e, c.Args[2], text)
	c.Notify(commands.HashEvents, "hincrbyfloat", c.Args[1])
	c.Out.Bulk(text)
	return nil
}
