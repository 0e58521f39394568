package commands

import (
	"math"

	"cellserver/store"
)

// expiryOption is a word that SET and GETEX take before a number of seconds or
// milliseconds, from now or since the Unix epoch.
type expiryOption struct {
	word              string
	seconds, absolute bool
}

var expiryOptions = [...]expiryOption{
	{"ex", true, false}, {"px", false, false}, {"exat", true, true}, {"pxat", false, true},
}

// expiry is an expiry that was asked for; the zero value asks for none.
type expiry struct {
	option *expiryOption
	number []byte
}

// take reads the option at args[i] and its number, and reports whether it did. A second
// option of another kind is refused; of the same kind, the last counts.
func (x *expiry) take(args [][]byte, i int) bool {
	if i+1 >= len(args) {
		return false
	}
	for k := range expiryOptions {
		o := &expiryOptions[k]
		if is(args[i], o.word) && (x.option == nil || x.option == o) {
			x.option, x.number = o, args[i+1]
			return true
		}
	}
	return false
}

// at returns the moment that the call's expiry stands for, in Unix milliseconds, or
// NoExpiry when it asks for none.
func (x *expiry) at(c *Call) (int64, error) {
	if x.option == nil {
		return store.NoExpiry, nil
	}
	n, ok := parseInt(x.number)
	if !ok {
		return 0, errNotInteger
	}
	ms, ok := x.option.millis(n, c.NowMillis())
	if !ok || n <= 0 || ms <= 0 {
		return 0, invalidExpire(c.Cmd.FullName())
	}
	return ms, nil
}

// millis returns n in the option's unit as Unix milliseconds, false when it overflows.
func (o *expiryOption) millis(n, now int64) (int64, bool) {
	if o.seconds {
		if n > math.MaxInt64/1000 || n < math.MinInt64/1000 {
			return 0, false
		}
		n *= 1000
	}
	if o.absolute {
		return n, true
	}
	if now > 0 && n > math.MaxInt64-now {
		return 0, false
	}
	return n + now, true
}
