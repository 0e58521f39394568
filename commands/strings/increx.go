package strings

import (
	"math"

	"cellserver/commands"
	"cellserver/internal/exact"
	"cellserver/store"
)

// INCREX key [BYINT increment | BYFLOAT increment] [LBOUND bound] [UBOUND bound] [SATURATE] [EX
// seconds | PX milliseconds | EXAT time | PXAT time | PERSIST] [ENX] adds to the number of a key.
// An absent key is 0. It replies with the new value and with the applied increment.
//
// If the sum exceeds a bound or the range of numbers, the key does not change and the applied
// increment is 0. With SATURATE the new value is the bound instead. ENX sets the expiry only if the
// key has no expiry. So a window that has begun keeps its end.
//
// Source: https://redis.io/docs/latest/commands/increx/
var _ = commands.Register(&commands.Command{
	Name: "increx", Arity: -2, Flags: commands.Write | commands.DenyOOM | commands.Fast,
	Keys: commands.UpdatedKey, Group: commands.GroupString, Run: increx,
})

// Errors with the texts of Redis 8.8.
const (
	errIncrementInt    commands.Error = "ERR Increment is not an integer or out of range"
	errIncrementFloat  commands.Error = "ERR Increment is not a valid float"
	errIncrementInf    commands.Error = "ERR BYFLOAT increment cannot be Infinity"
	errValueInf        commands.Error = "ERR value cannot be Infinity"
	errBoundsCross     commands.Error = "ERR LBOUND can't be greater than UBOUND"
	errEnxAlone        commands.Error = "ERR ENX flag requires an expiration (EX/PX/EXAT/PXAT)"
	errAppliedOverflow commands.Error = "ERR applied increment would overflow"
	errAppliedInfinite commands.Error = "ERR applied increment would be Infinity"
	errLowerNotInteger commands.Error = "ERR LBOUND is not an integer or out of range"
	errUpperNotInteger commands.Error = "ERR UBOUND is not an integer or out of range"
	errLowerNotFloat   commands.Error = "ERR LBOUND is not a valid float"
	errUpperNotFloat   commands.Error = "ERR UBOUND is not a valid float"
)

// increxArgs are the options of INCREX. A nil option is not given.
type increxArgs struct {
	increment, lower, upper []byte
	float, saturate         bool
	persist, enx            bool
	expiry                  commands.Expiry
	at                      int64 // expiry of the options in Unix milliseconds
}

func increx(c *commands.Call) error {
	var a increxArgs
	if err := a.parse(c); err != nil {
		return err
	}
	if a.float {
		return addFloatBounded(c, &a)
	}
	return addBounded(c, &a)
}

// parse parses the options. They come in any order, each at most once.
func (a *increxArgs) parse(c *commands.Call) (err error) {
	for i := 2; i < len(c.Args); i++ {
		n, ok := a.option(c.Args, i)
		if !ok {
			return commands.ErrSyntax
		}
		i += n
	}
	switch timed := a.expiry.Option != nil; {
	case a.persist && (timed || a.enx):
		return commands.ErrSyntax
	case a.enx && !timed:
		return errEnxAlone
	}
	a.at, err = a.expiry.At(c)
	return err
}

// option parses the option at args[i]. n is the number of arguments after the name of the option.
func (a *increxArgs) option(args [][]byte, i int) (n int, ok bool) {
	word := args[i]
	for _, flag := range []struct {
		word string
		set  *bool
	}{{"saturate", &a.saturate}, {"persist", &a.persist}, {"enx", &a.enx}} {
		if commands.Is(word, flag.word) {
			given := *flag.set
			*flag.set = true
			return 0, !given
		}
	}
	if i+1 >= len(args) {
		return 0, false
	}
	for _, option := range []struct {
		word  string
		value *[]byte
	}{{"byint", &a.increment}, {"byfloat", &a.increment}, {"lbound", &a.lower}, {"ubound", &a.upper}} {
		if commands.Is(word, option.word) {
			given := *option.value != nil
			*option.value = args[i+1]
			a.float = a.float || option.word == "byfloat"
			return 1, !given
		}
	}
	return 1, a.expiry.Option == nil && a.expiry.Take(args, i)
}

// addBounded is INCREX without BYFLOAT.
func addBounded(c *commands.Call, a *increxArgs) error {
	by, lower, upper, err := a.integers()
	if err != nil {
		return err
	}
	e := c.Tx.Write(c.Args[1])
	old, err := commands.Integer(&e)
	if err != nil {
		return err
	}
	sum := exact.Plus(old, by)
	_, fits := exact.Add(old, by)
	outside := !fits || sum < lower || sum > upper
	if outside && !a.saturate {
		c.Out.Array(2)
		c.Out.Int(old)
		c.Out.Int(0)
		return nil
	}
	sum = min(max(sum, lower), upper)
	applied := sum - old
	if (applied > 0) != (sum > old) && sum != old {
		return errAppliedOverflow
	}
	a.store(c, &e, func(at int64) { e.SetInt(sum, at) })
	c.Out.Array(2)
	c.Out.Int(sum)
	c.Out.Int(applied)
	return nil
}

// integers parses the increment and the bounds. The defaults are 1 and the range of int64.
func (a *increxArgs) integers() (by, lower, upper int64, err error) {
	by, lower, upper = 1, math.MinInt64, math.MaxInt64
	for _, n := range []struct {
		text []byte
		to   *int64
		err  commands.Error
	}{{a.increment, &by, errIncrementInt}, {a.lower, &lower, errLowerNotInteger}, {a.upper, &upper, errUpperNotInteger}} {
		if n.text == nil {
			continue
		}
		v, ok := commands.ParseInt(n.text)
		if !ok {
			return 0, 0, 0, n.err
		}
		*n.to = v
	}
	if lower > upper {
		return 0, 0, 0, errBoundsCross
	}
	return by, lower, upper, nil
}

// store sets the value with the expiry of the options, or with the old expiry. A time in the past
// deletes the key. The events are those of INCRBY or INCRBYFLOAT, and of EXPIRE or PERSIST.
func (a *increxArgs) store(c *commands.Call, e *store.Entry, set func(at int64)) {
	at, old, event := a.at, e.ExpireAt(), ""
	switch {
	case a.persist:
		at = store.NoExpiry
		if old != store.NoExpiry {
			event = "persist"
		}
	case a.expiry.Option == nil || a.enx && old != store.NoExpiry:
		at = old
	case c.IsPast(at):
		if e.Delete() {
			c.Notify(commands.GenericEvents, "del", c.Args[1])
		}
		return
	default:
		event = "expire"
	}
	set(at)
	if a.float {
		c.Notify(commands.StringEvents, "incrbyfloat", c.Args[1])
	} else {
		c.Notify(commands.StringEvents, "incrby", c.Args[1])
	}
	if event != "" {
		c.Notify(commands.GenericEvents, event, c.Args[1])
	}
}
