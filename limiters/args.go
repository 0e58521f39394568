package limiters

import (
	"math"
	"math/bits"

	"cellserver/internal/decimal"
	"cellserver/internal/rediserr"
	"cellserver/internal/word"
	"cellserver/limiters/calendar"
)

// Option is a word after the parameters of a limiter. Options come in any order and any case, each
// at most once.
type Option uint16

// The options of the limiters.
const (
	OptGap        Option = 1 << iota // shortest time between requests
	OptResolution                    // length of time that one entry of a log covers
	OptMaxWait                       // longest time to hold a request
	OptWarmup                        // time from a pause to the full rate
	OptMS                            // times in milliseconds
	OptPeek                          // decides and consumes nothing
	OptAlign                         // windows begin at multiples of their period since the epoch
	OptStrict                        // limited requests count, too
	OptTokens                        // GCRA's quantity
	OptQuantity                      // quantity of a command with a variable number of keys
	OptCharge                        // counts the quantity even if less is left
	OptExplain                       // replies with every limit of the rule
	OptTZ                            // the time zone of a calendar
	OptRelease                       // a reservation that no client settles is given back at its end

	requestOptions = OptMS | OptPeek // options of a single request
)

// operand is the value after an option.
type operand uint8

const (
	noOperand operand = iota
	secondsOperand
	quantityOperand // the quantity itself
	zoneOperand     // the name of a time zone
	unitOperand     // a unit of the calendar, which may be missing
)

// allOptions are the options in the order of their bits. Options with seconds come first.
var allOptions = [...]struct {
	word  string
	takes operand
}{
	{"gap", secondsOperand}, {"resolution", secondsOperand}, {"maxwait", secondsOperand}, {"warmup", secondsOperand},
	{"ms", noOperand}, {"peek", noOperand}, {"align", unitOperand}, {"strict", noOperand},
	{"tokens", quantityOperand}, {"quantity", quantityOperand},
	{"charge", noOperand}, {"explain", noOperand}, {"tz", zoneOperand},
	{"release", noOperand},
}

// Args parses the arguments of a limiter from left to right: its parameters, the quantity and the
// options. Err keeps the first error. After an error all values are meaningless.
type Args struct {
	name     string
	rest     [][]byte // not read yet
	Err      error    // the first one
	rule     bool     // parses the limit of a rule: without quantity and without options of a single request
	Quantity int64
	given    Option
	nanos    [4]int64 // of options that take seconds, in nanoseconds
	unit     calendar.Unit
	zone     []byte // empty for UTC
}

// Begin starts to parse another request. name is the command in lower case.
func (a *Args) Begin(name string, rest [][]byte) {
	a.name, a.rest, a.Err, a.Quantity, a.given, a.unit, a.zone = name, rest, nil, 1, 0, 0, nil
}

// Release drops the references to the request.
func (a *Args) Release() { a.rest, a.zone = nil, nil }

// Has reports whether the request has an option.
func (a *Args) Has(o Option) bool { return a.given&o != 0 }

// value returns the seconds of an option in nanoseconds, 0 without the option.
func (a *Args) value(o Option) int64 {
	if !a.Has(o) {
		return 0
	}
	return a.nanos[bits.TrailingZeros16(uint16(o))]
}

// fail stores the first error.
func (a *Args) fail(err error) {
	if a.Err == nil {
		a.Err = err
	}
}

// Next returns the next argument. After the last argument it returns nil, and stores an arity
// error.
func (a *Args) Next() []byte {
	if len(a.rest) == 0 {
		a.fail(rediserr.WrongArity(a.name))
		return nil
	}
	arg := a.rest[0]
	a.rest = a.rest[1:]
	return arg
}

// Integer parses the next argument as an int64. name is its name in the error.
func (a *Args) Integer(name string) int64 {
	arg := a.Next()
	n, ok := decimal.Parse(arg)
	if !ok && a.Err == nil {
		a.Err = rediserr.Error("ERR " + name + " is not an integer or out of range")
	}
	return n
}

// Seconds parses the next argument as a decimal number of seconds, and returns nanoseconds. name is
// its name in the error.
func (a *Args) Seconds(name string) int64 {
	arg := a.Next()
	ns, ok := parseSeconds(arg)
	if !ok && a.Err == nil {
		a.Err = notSeconds(name)
	}
	return ns
}

func notSeconds(name string) error {
	return rediserr.Error("ERR " + name + " is not a number of seconds from 0 to 9223372036 with at most nine decimals")
}

// Finish parses the arguments after the parameters: the quantity, if a number comes next, and the
// options. own are the options of this limiter.
func (a *Args) Finish(own Option) error {
	if !a.rule && len(a.rest) > 0 && numeric(a.rest[0]) {
		a.Quantity = a.Integer("quantity")
	}
	return a.Options(own)
}

// Options parses the options. own are the options of this limiter. Every request may have MS and
// PEEK, too, but a rule may not.
func (a *Args) Options(own Option) error {
	if !a.rule {
		own |= requestOptions
	}
	for len(a.rest) > 0 && a.Err == nil {
		a.option(own)
	}
	return a.Err
}

// option parses one of the allowed options.
func (a *Args) option(allowed Option) {
	arg := a.Next()
	for i := range allOptions {
		o := &allOptions[i]
		if !word.Is(arg, o.word) {
			continue
		}
		bit := Option(1) << i
		if allowed&bit == 0 || a.Has(bit) || o.takes != noOperand && o.takes != unitOperand && len(a.rest) == 0 {
			break
		}
		a.given |= bit
		switch o.takes {
		case secondsOperand:
			a.nanos[i] = a.Seconds(o.word)
		case quantityOperand:
			a.Quantity = a.Integer(o.word)
		case zoneOperand:
			a.zone = a.Next()
		case unitOperand:
			a.unit = a.calendarUnit()
		}
		return
	}
	a.fail(rediserr.Syntax)
}

// calendarUnit parses the next argument as a unit of the calendar. It returns 0 if the argument is not a unit.
func (a *Args) calendarUnit() calendar.Unit {
	for i, name := range [...]string{"day", "week", "month"} {
		if len(a.rest) > 0 && word.Is(a.rest[0], name) {
			a.rest = a.rest[1:]
			return calendar.Day + calendar.Unit(i)
		}
	}
	return 0
}

// numeric reports whether an argument starts like a number. Such an argument is not an option.
func numeric(arg []byte) bool {
	return len(arg) > 0 && (arg[0] >= '0' && arg[0] <= '9' || arg[0] == '-' || arg[0] == '+' || arg[0] == '.')
}

// parseSeconds parses a decimal number of seconds, such as 60 or 0.25, to nanoseconds. The result
// is exact. It refuses signs, more than nine decimals, and values beyond int64.
func parseSeconds(b []byte) (ns int64, ok bool) {
	n, digits, decimals := uint64(0), 0, -1 // decimals: -1 before the point
	for _, c := range b {
		d := c - '0'
		switch {
		case c == '.' && decimals < 0:
			decimals = 0
			continue
		case d > 9 || decimals == 9 || n > (math.MaxUint64-9)/10:
			return 0, false
		}
		n = n*10 + uint64(d)
		digits++
		if decimals >= 0 {
			decimals++
		}
	}
	over, n := bits.Mul64(n, lastDigit[max(decimals, 0)])
	return int64(n), digits > 0 && over == 0 && n <= math.MaxInt64
}

// lastDigit holds the value of the last digit in nanoseconds, for each number of decimals.
var lastDigit = [...]uint64{1e9, 1e8, 1e7, 1e6, 1e5, 1e4, 1e3, 100, 10, 1}
