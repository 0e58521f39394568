package strings

import (
	"math/big"

	"cellserver/commands"
	"cellserver/internal/longdouble"
	"cellserver/store"
)

// addFloatBounded is INCREX with BYFLOAT, in the long double arithmetic of INCRBYFLOAT.
func addFloatBounded(c *commands.Call, a *increxArgs) error {
	by, lower, upper, err := a.floats()
	if err != nil {
		return err
	}
	e := c.Tx.Write(c.Args[1])
	old, err := finiteFloat(&e)
	if err != nil {
		return err
	}
	sum, fits := longdouble.Add(old, by)
	outside := !fits || sum.Cmp(lower) < 0 || sum.Cmp(upper) > 0
	if outside && !a.saturate {
		replyFloats(c, old, longdouble.New())
		return nil
	}
	applied := by
	if outside {
		nearest := upper
		if sum.Cmp(lower) < 0 || !fits && sum.Signbit() {
			nearest = lower
		}
		sum = nearest
		if applied, fits = longdouble.Add(sum, longdouble.New().Neg(old)); !fits {
			return errAppliedInfinite
		}
	}
	a.store(c, &e, func(at int64) { e.SetBytes(longdouble.Format(sum), at) })
	replyFloats(c, sum, applied)
	return nil
}

// floats parses the increment and the bounds. The default bounds are the range of a long double.
func (a *increxArgs) floats() (by, lower, upper *big.Float, err error) {
	lower, upper = longdouble.Largest(true), longdouble.Largest(false)
	by, ok := longdouble.Parse(a.increment)
	switch {
	case !ok:
		return nil, nil, nil, errIncrementFloat
	case by.IsInf():
		return nil, nil, nil, errIncrementInf
	}
	if a.lower != nil {
		if lower, ok = longdouble.Parse(a.lower); !ok {
			return nil, nil, nil, errLowerNotFloat
		}
	}
	if a.upper != nil {
		if upper, ok = longdouble.Parse(a.upper); !ok {
			return nil, nil, nil, errUpperNotFloat
		}
	}
	if lower.Cmp(upper) > 0 {
		return nil, nil, nil, errBoundsCross
	}
	return by, lower, upper, nil
}

// finiteFloat returns the number of a string entry, 0 for an absent entry. Infinity is an error.
func finiteFloat(e *store.Entry) (*big.Float, error) {
	if err := commands.CheckString(e); err != nil {
		return nil, err
	}
	f, ok := longDouble(e)
	switch {
	case !ok:
		return nil, commands.ErrNotFloat
	case f.IsInf():
		return nil, errValueInf
	}
	return f, nil
}

// replyFloats replies with two numbers: doubles in RESP3, strings in RESP2.
func replyFloats(c *commands.Call, all ...*big.Float) {
	c.Out.Array(len(all))
	for _, f := range all {
		if c.Out.Proto == 3 {
			double, _ := f.Float64()
			c.Out.Double(double)
		} else {
			c.Out.Bulk(longdouble.Format(f))
		}
	}
}
