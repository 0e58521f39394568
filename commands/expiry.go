package commands

import (
	"math"

	"cellserver/store"
)

// ExpiryOption is one of the options EX, PX, EXAT and PXAT. A number of seconds or milliseconds
// follows it, from now or since the Unix epoch.
type ExpiryOption struct {
	word     string
	seconds  bool // the number counts seconds, not milliseconds
	Absolute bool // the number counts from the Unix epoch, not from now
}

// ExpiryOptions are the options EX, PX, EXAT and PXAT, in this order.
var ExpiryOptions = [...]ExpiryOption{
	{"ex", true, false}, {"px", false, false}, {"exat", true, true}, {"pxat", false, true},
}

// Expiry is the expiry option of a command. In the zero Expiry the option is absent.
type Expiry struct {
	Option *ExpiryOption
	Number []byte
}

// Take reads the option at args[i] and the number after it. It returns false if args[i] is not an
// expiry option, or not the same option as before. If an option repeats, the last number counts.
func (x *Expiry) Take(args [][]byte, i int) bool {
	if i+1 >= len(args) {
		return false
	}
	for k := range ExpiryOptions {
		o := &ExpiryOptions[k]
		if Is(args[i], o.word) && (x.Option == nil || x.Option == o) {
			x.Option, x.Number = o, args[i+1]
			return true
		}
	}
	return false
}

// At returns the expiry in Unix milliseconds, or NoExpiry without an option. The error is
// [ErrNotInteger] or [InvalidExpire].
func (x *Expiry) At(c *Call) (int64, error) {
	if x.Option == nil {
		return store.NoExpiry, nil
	}
	n, ok := ParseInt(x.Number)
	if !ok {
		return 0, ErrNotInteger
	}
	ms, ok := x.Option.Millis(c, n)
	if !ok || n <= 0 || ms <= 0 {
		return 0, InvalidExpire(c.Cmd.FullName())
	}
	return ms, nil
}

// Millis converts n, in the unit of the option, to Unix milliseconds of the logical time. It returns false if
// the result overflows.
func (o *ExpiryOption) Millis(c *Call, n int64) (int64, bool) {
	if o.seconds {
		if n > math.MaxInt64/1000 || n < math.MinInt64/1000 {
			return 0, false
		}
		n *= 1000
	}
	now := c.NowMillis()
	if o.Absolute {
		now = c.GapMillis()
	}
	if now > 0 && n > math.MaxInt64-now {
		return 0, false
	}
	return n + now, true
}

// IsPast reports whether a key that gets this expiry, in Unix milliseconds, goes at once.
func (c *Call) IsPast(expireAt int64) bool { return expireAt <= c.NowMillis() && !c.Tx.KeepExpired }

// Wall is the time of the call by the wall clock, in Unix nanoseconds.
func (c *Call) Wall() int64 {
	_, gap := c.Server.Clock.Steps()
	return c.Now - gap
}

// GapMillis is by how many milliseconds the logical time is ahead of the wall clock, because that was set
// back. Clients give and get times of the wall clock.
func (c *Call) GapMillis() int64 { return (c.Now - c.Wall()) / 1e6 }
