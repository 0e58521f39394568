package limiters

import (
	"errors"
	"math"
	"math/bits"
	"strings"

	"cellserver/internal/decimal"
	"cellserver/internal/quote"
	"cellserver/internal/rediserr"
	"cellserver/internal/word"
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
	OptDay                           // the day on which a unit of the calendar begins
	OptBy                            // the algorithm of one of several limits

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
	dayOperand      // a weekday, or a day of the month
	byOperand       // the name of an algorithm
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
	{"release", noOperand}, {"day", dayOperand}, {"by", byOperand},
}

// Args parses the arguments of a limiter from left to right: its parameters, the quantity and the
// options. Err keeps the first error. After an error all values are meaningless.
type Args struct {
	name     string
	rest     [][]byte // not read yet
	Err      error    // the first one
	inside   string   // "rule" or "lease": a limit of one, without quantity and without options of a request
	Quantity int64
	given    Option
	nanos    [4]int64 // of options that take seconds, in nanoseconds
	by       string   // the name of an algorithm, in lower case
	rate     any      // the last Rate of a lease
	dates
	noted
}

// noted is what was read, for errors.
type noted struct {
	read  [8]argument // the last numbers
	reads int
	cell  [][]byte // the numbers of CL.THROTTLE, which only an error names
}

// argument is a number or a name that was read.
type argument struct {
	name string
	word []byte
}

// Begin starts to parse another request. name is the command in lower case.
func (a *Args) Begin(name string, rest [][]byte) {
	a.name, a.rest, a.Err, a.Quantity, a.given, a.unit, a.zone = name, rest, nil, 1, 0, 0, nil
	a.reads, a.day, a.weekday, a.cell = 0, 0, false, nil
}

// Release drops the references to the request.
func (a *Args) Release() {
	a.rest, a.zone, a.cell = nil, nil, nil
	clear(a.read[:])
}

// Has reports whether the request has an option.
func (a *Args) Has(o Option) bool { return a.given&o != 0 }

// value returns the seconds of an option in nanoseconds, 0 without the option.
func (a *Args) value(o Option) int64 {
	if !a.Has(o) {
		return 0
	}
	return a.nanos[bits.TrailingZeros16(uint16(o))]
}

// Fail stores the first error.
func (a *Args) Fail(err error) {
	if a.Err == nil {
		a.Err = err
	}
}

// Next returns the next argument. After the last argument it returns nil, and stores an arity
// error. name is its name in the error of a rule, which has no arity.
func (a *Args) Next(name string) []byte {
	if len(a.rest) == 0 {
		if a.inside != "" {
			a.Fail(rediserr.Error("ERR " + name + " is missing in " + a.limiter()))
		} else {
			a.Fail(rediserr.WrongArity(a.name))
		}
		return nil
	}
	arg := a.rest[0]
	a.rest = a.rest[1:]
	a.read[a.reads%len(a.read)] = argument{name, arg}
	a.reads++
	return arg
}

// limiter returns the name of the limiter or of the command, as clients write it.
func (a *Args) limiter() string { return strings.ToUpper(a.name) }

// Integer parses the next argument as an int64. name is its name in the error.
func (a *Args) Integer(name string) int64 {
	arg := a.Next(name)
	n, ok := decimal.Parse(arg)
	if !ok && a.Err == nil {
		a.Err = a.Explain(errors.New(name + " is not an integer or out of range"))
	}
	return n
}

// Seconds parses the next argument as a decimal number of seconds, and returns nanoseconds. name is
// its name in the error.
func (a *Args) Seconds(name string) int64 {
	arg := a.Next(name)
	ns, ok := parseSeconds(arg)
	if !ok && a.Err == nil {
		a.Err = a.Explain(errors.New(name + notSeconds))
	}
	return ns
}

const notSeconds = " is not a number of seconds: 60 or 0.25, at most 9223372036, with at most nine decimals"

// Explain converts an error of a pure limiter to an error reply, as the function [Explain] does. If the error
// begins with the name of an argument, the reply repeats the argument.
func (a *Args) Explain(err error) error {
	if err == nil {
		return nil
	}
	if a.cell != nil {
		a.noteCell()
	}
	name, problem, _ := strings.Cut(err.Error(), " ")
	for i := range min(a.reads, len(a.read)) { // a name that repeats is that of the last limit so far
		if one := &a.read[(a.reads-1-i)%len(a.read)]; one.name == name {
			return rediserr.Error("ERR " + name + " " + quote.Word(one.word) + " " + problem)
		}
	}
	return Explain(err)
}

// noteCell notes the numbers of CL.THROTTLE for an error.
func (a *Args) noteCell() {
	names := [...]string{"max_burst", "count", "period", "quantity"}
	a.read[len(a.cell)] = a.read[0] // the word after QUANTITY, if there is one
	for i, word := range a.cell {
		a.read[i] = argument{names[i], word}
	}
	a.reads = len(a.cell) + min(a.reads, 1)
}

// Finish parses the arguments after the parameters: the quantity, if a number comes next, and the
// options. own are the options of this limiter. The quantity may also be the option QUANTITY.
func (a *Args) Finish(own Option) error {
	if a.inside != "" {
		return a.Options(own)
	}
	if len(a.rest) > 0 && IsNumeric(a.rest[0]) {
		a.TakeQuantity()
	}
	return a.Options(own | OptQuantity)
}

// TakeQuantity parses the next argument as the quantity.
func (a *Args) TakeQuantity() {
	a.Quantity = a.Integer("quantity")
	a.given |= OptQuantity
}

// NamesQuantity reports whether a request whose words end after n others has QUANTITY among its options. Its
// quantity is then not among the words before them.
func (a *Args) NamesQuantity(n int) bool {
	return n < len(a.rest) && optionOf(a.rest[n], ^Option(0)) >= 0
}

// FinishRequired is [Args.Finish] for a request that must have a quantity, of which the words before the
// options are read.
func (a *Args) FinishRequired(own Option) error {
	if err := a.Options(own | OptQuantity); err != nil || a.Has(OptQuantity) {
		return err
	}
	a.Fail(rediserr.Error(
		"ERR the quantity is missing: write QUANTITY and a number at the end of " + a.limiter()))
	return a.Err
}

// Options parses the options. own are the options of this limiter. Every request may have MS and
// PEEK, too, but a rule may not.
func (a *Args) Options(own Option) error {
	if a.inside == "" {
		own |= requestOptions
	}
	for len(a.rest) > 0 && a.Err == nil {
		a.option(own)
	}
	return a.Err
}

// option parses one of the allowed options.
func (a *Args) option(allowed Option) {
	arg := a.rest[0]
	i := optionOf(arg, allowed)
	if i < 0 {
		a.Fail(a.errOption(arg, allowed))
		return
	}
	a.rest = a.rest[1:]
	needs, bit := operandNeeds[allOptions[i].takes], Option(1)<<i
	switch {
	case a.Has(bit):
		a.Fail(SyntaxError(quote.Word(arg) + " repeats"))
	case needs != "" && len(a.rest) == 0:
		a.Fail(SyntaxError(quote.Word(arg) + " needs " + needs))
	default:
		a.given |= bit
		a.operand(i, allowed)
	}
}

// operand parses the value after an option.
func (a *Args) operand(option int, allowed Option) {
	name := allOptions[option].word
	switch allOptions[option].takes {
	case secondsOperand:
		a.nanos[option] = a.Seconds(name)
	case quantityOperand:
		a.Quantity = a.Integer(name)
	case zoneOperand:
		a.zone = a.Next(name)
	case byOperand:
		a.by = strings.ToLower(string(a.Next(name)))
	case dayOperand:
		a.day, a.weekday = dayOf(a.Next(name))
		if a.day == 0 {
			a.Fail(a.Explain(errDay))
		}
	case unitOperand:
		if a.unit = calendarUnit(a.rest); a.unit != 0 {
			a.rest = a.rest[1:]
		} else if len(a.rest) > 0 && optionOf(a.rest[0], allowed) < 0 {
			a.Fail(rediserr.Error("ERR ALIGN " + quote.Word(a.rest[0]) +
				": use day, week, month, year, or no word for multiples of the period"))
		}
	}
}

// optionOf returns the number of an allowed option, -1 if the word is not one.
func optionOf(arg []byte, allowed Option) int {
	for i := range allOptions {
		if allowed&(1<<i) != 0 && word.Is(arg, allOptions[i].word) {
			return i
		}
	}
	return -1
}

// Spells reports whether a word may be the quantity of a request, or one of its options. own are the
// options of the command.
func Spells(word []byte, own Option) (number, option bool) {
	_, number = decimal.Parse(word)
	return number, optionOf(word, own|requestOptions|OptQuantity) >= 0
}

// operandNeeds says what must follow an option.
var operandNeeds = [...]string{
	secondsOperand: "a number of seconds after it", quantityOperand: "an integer after it",
	zoneOperand: "a time zone such as Europe/Berlin after it", unitOperand: "",
	dayOperand: "a weekday, or a day of the month, after it", byOperand: "SLIDING, LOG or GCRA after it",
}

// SyntaxError is the error of Redis, with its cause.
func SyntaxError(cause string) error { return rediserr.Error(string(rediserr.Syntax) + ": " + cause) }

// errOption is the error of a word in the place of an option. It names the options that may stand there.
func (a *Args) errOption(arg []byte, allowed Option) error {
	where := a.limiter()
	if a.inside != "" {
		where += " in a " + a.inside
	}
	var use []string
	for i := range allOptions {
		if bit := Option(1) << i; allowed&bit != 0 && !a.Has(bit) {
			use = append(use, strings.ToUpper(allOptions[i].word))
		}
	}
	return OptionError(arg, where, use...)
}

// OptionError is the error of a word that does not stand after a command, where the words `use` may stand.
func OptionError(word []byte, command string, use ...string) error {
	if len(use) == 0 {
		return SyntaxError(quote.Word(word) + " is a word too much after " + command)
	}
	return SyntaxError(quote.Word(word) + " is not an option of " + command + ": use " + strings.Join(use, ", "))
}

// IsNumeric reports whether an argument starts like a number. Such an argument is not an option.
func IsNumeric(arg []byte) bool {
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
