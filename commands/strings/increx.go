package strings

import (
	"math"

	"cellserver/commands"
	"cellserver/internal/exact"
	"cellserver/store"
)

// INCREX key [BYINT increment | BYFLOAT increment] [LBOUND bound] [UBOUND bound] [SATURATE]
// [EX seconds | PX milliseconds | EXAT time | PXAT time | PERSIST] [ENX] adds to the number at
// a key, 0 when it is absent, and replies with the sum and with what was added. A sum beyond a
// bound, or beyond what there is of numbers, is not stored and 0 was added; with SATURATE the
// bound is. ENX sets the expiry only where there is none: so a window that has begun ends.
//
// Source: https://redis.io/docs/latest/commands/increx/
var _ = commands.Register(&commands.Command{
	Name: "increx", Arity: -2, Flags: commands.Write | commands.DenyOOM | commands.Fast, Keys: commands.UpdatedKey, Group: commands.GroupString, Since: "8.8.0",
	Summary: "Increment the numeric value of a key by a number, within bounds, and set its expiration time",
	Usage: "key [BYFLOAT increment | BYINT increment] [LBOUND lowerbound] [UBOUND upperbound] [SATURATE] " +
		"[EX seconds | PX milliseconds | EXAT unix-time-seconds | PXAT unix-time-milliseconds | PERSIST] [ENX]",
	Complexity: "O(1)", Run: increx,
})

// The errors of Redis 8.8.
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

// increxArgs are the options as they were given; nil is not given.
type increxArgs struct {
	increment, lower, upper []byte
	float, saturate         bool
	persist, enx            bool
	expiry                  commands.Expiry
	at                      int64 // when the key is to expire, in Unix milliseconds
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

// parse reads the options, each once, in any order.
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

// option reads the option at args[i] and says how many arguments it took beyond its name.
func (a *increxArgs) option(args [][]byte, i int) (n int, ok bool) {
	word := args[i]
	for _, flag := range []struct {
		word string
		set  *bool
	}{{"saturate", &a.saturate}, {"persist", &a.persist}, {"enx", &a.enx}} {
		if commands.Is(word, flag.word) {
			again := *flag.set
			*flag.set = true
			return 0, !again
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
			again := *option.value != nil
			*option.value = args[i+1]
			a.float = a.float || option.word == "byfloat"
			return 1, !again
		}
	}
	return 1, a.expiry.Option == nil && a.expiry.Take(args, i)
}

// addBounded is INCREX of an integer.
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
	beyond := !fits || sum < lower || sum > upper
	if beyond && !a.saturate {
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

// integers are the increment and the bounds.
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

// store stores a value with the expiry that was asked for, or that it had. A time that has
// come already deletes the key.
func (a *increxArgs) store(c *commands.Call, e *store.Entry, set func(at int64)) {
	at, had := a.at, e.ExpireAt()
	switch {
	case a.persist:
		at = store.NoExpiry
	case a.expiry.Option == nil || a.enx && had != store.NoExpiry:
		at = had
	case at <= c.NowMillis():
		e.Delete()
		return
	}
	set(at)
}
