package commands

import (
	"math"
	"math/bits"
)

// limiterOption is a word that may follow the parameters of a limiter, once, in any order
// and any case.
type limiterOption uint16

const (
	optGap        limiterOption = 1 << iota // least time between requests
	optResolution                           // width of a log's entries
	optMaxWait                              // longest time to hold a request
	optWarmup                               // time to come to the full rate
	optMS                                   // times in milliseconds
	optPeek                                 // decide, consume nothing
	optAlign                                // windows begin with the clock's minutes, hours, …
	optStrict                               // what is limited counts, too
	optTokens
	optQuantity

	optAsking = optMS | optPeek // those that concern one request, not the limit
)

// operand is what follows an option.
type operand uint8

const (
	noOperand operand = iota
	secondsOperand
	quantityOperand // the quantity itself
)

// limiterOptions are the options, in the order of their bits: those that take seconds first.
var limiterOptions = [...]struct {
	word  string
	takes operand
}{
	{"gap", secondsOperand}, {"resolution", secondsOperand}, {"maxwait", secondsOperand}, {"warmup", secondsOperand},
	{"ms", noOperand}, {"peek", noOperand}, {"align", noOperand}, {"strict", noOperand},
	{"tokens", quantityOperand}, {"quantity", quantityOperand},
}

// limiterArgs reads the arguments of a limiter from left to right: its parameters, the
// quantity, and the options. The first error stays, and what is read after it means nothing.
type limiterArgs struct {
	name     string
	rest     [][]byte // not read yet
	err      error
	rule     bool // a rule's: without quantity, and without options that concern one request
	quantity int64
	given    limiterOption
	nanos    [4]int64 // of options that take seconds, in nanoseconds
}

// begin makes a read the arguments of another request.
func (a *limiterArgs) begin(name string, rest [][]byte) {
	a.name, a.rest, a.err, a.quantity, a.given = name, rest, nil, 1, 0
}

// has reports whether an option was given.
func (a *limiterArgs) has(o limiterOption) bool { return a.given&o != 0 }

// value is what an option that takes seconds was given, in nanoseconds; 0 when it was not.
func (a *limiterArgs) value(o limiterOption) int64 {
	if !a.has(o) {
		return 0
	}
	return a.nanos[bits.TrailingZeros16(uint16(o))]
}

// fail notes the first error.
func (a *limiterArgs) fail(err error) {
	if a.err == nil {
		a.err = err
	}
}

// next is the next argument. There is one on the line of any command of the right arity.
func (a *limiterArgs) next() []byte {
	if len(a.rest) == 0 {
		a.fail(wrongArity(a.name))
		return nil
	}
	arg := a.rest[0]
	a.rest = a.rest[1:]
	return arg
}

// integer reads an argument that is an integer.
func (a *limiterArgs) integer(name string) int64 {
	arg := a.next()
	n, ok := parseInt(arg)
	if !ok && a.err == nil {
		a.err = Error("ERR " + name + " is not an integer or out of range")
	}
	return n
}

// seconds reads an argument that is a decimal number of seconds, and returns nanoseconds.
func (a *limiterArgs) seconds(name string) int64 {
	arg := a.next()
	ns, ok := parseSeconds(arg)
	if !ok && a.err == nil {
		a.err = notSeconds(name)
	}
	return ns
}

func notSeconds(name string) error {
	return Error("ERR " + name + " is not a number of seconds from 0 to 9223372036 with at most nine decimals")
}

// finish reads what follows the parameters: the quantity, unless a word takes its place, and
// the options.
func (a *limiterArgs) finish(own limiterOption) error {
	if !a.rule && len(a.rest) > 0 && numeric(a.rest[0]) {
		a.quantity = a.integer("quantity")
	}
	return a.options(own)
}

// options reads the options, of which the limit's own are named.
func (a *limiterArgs) options(own limiterOption) error {
	if !a.rule {
		own |= optAsking
	}
	for len(a.rest) > 0 && a.err == nil {
		a.option(own)
	}
	return a.err
}

// option reads one option of those that are allowed.
func (a *limiterArgs) option(allowed limiterOption) {
	word := a.next()
	for i := range limiterOptions {
		o := &limiterOptions[i]
		if !is(word, o.word) {
			continue
		}
		bit := limiterOption(1) << i
		if allowed&bit == 0 || a.has(bit) || o.takes != noOperand && len(a.rest) == 0 {
			break
		}
		a.given |= bit
		switch o.takes {
		case secondsOperand:
			a.nanos[i] = a.seconds(o.word)
		case quantityOperand:
			a.quantity = a.integer(o.word)
		}
		return
	}
	a.fail(errSyntax)
}

// numeric reports whether an argument looks like a number, so that it is no option.
func numeric(arg []byte) bool {
	return len(arg) > 0 && (arg[0] >= '0' && arg[0] <= '9' || arg[0] == '-' || arg[0] == '+' || arg[0] == '.')
}

// parseSeconds parses a decimal number of seconds that is not negative, such as 60 or 0.25,
// to nanoseconds. It is exact: more than nine decimals are no number.
func parseSeconds(b []byte) (ns int64, ok bool) {
	n, digits, decimals := uint64(0), 0, -1 // decimals are not counted before the point
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

// lastDigit is how many nanoseconds a one stands for that is the last digit of a number of
// seconds with so many decimals.
var lastDigit = [...]uint64{1e9, 1e8, 1e7, 1e6, 1e5, 1e4, 1e3, 100, 10, 1}
