package flight

import (
	"errors"

	"cellserver/internal/quote"
	"cellserver/internal/rediserr"
	"cellserver/internal/word"
	"cellserver/limiters"
	"cellserver/limiters/adaptive"
	"cellserver/limiters/lease"
)

// Entering is a request of CL.ENTER: a permit whose limit the callers' latencies find.
type Entering struct {
	adaptive.Options
	lease  int64 // ns
	holder []byte
	shares shares
	own    int   // the index of the caller's partition in shares, or plain
	upTo   int64 // the percentage of the limit that the call may fill
	Millis bool  // the times of the reply are in milliseconds
	Looks  bool  // the request takes nothing
}

// The errors of CL.ENTER and CL.LEAVE name the argument that is wrong.
var (
	errUpTo    = errors.New("upto must be from 1 to 100 percent")
	errPercent = errors.New("percent must be from 1 to 100")
	errShares  = rediserr.Error("ERR a limit has at most 8 partitions: " +
		"a partition that is gone stays until its calls have ended")
)

// enterWords are the options of CL.ENTER, how many words must follow each, and which.
var enterWords = [...]struct {
	word  string
	needs int
	after string
}{
	{"gradient", 0, ""}, {"gradient2", 0, ""}, {"vegas", 0, ""}, {"aimd", 1, "a number of seconds"},
	{"between", 2, "two integers"}, {"start", 1, "an integer"}, {"window", 1, "a number of seconds"},
	{"tolerance", 1, "a percentage"}, {"upto", 1, "a percentage"},
	{"partition", 4, "a name, OF, and names with percentages"}, {"ms", 0, ""}, {"peek", 0, ""},
}

// algorithmWords is how many of the first words name an algorithm: that with the number of the word. A
// request has one of them at most.
const algorithmWords = int(adaptive.Algorithms)

// enterParams are a request and the numbers of its limit, which adaptive.New has not checked yet.
type enterParams struct {
	*Entering
	algorithm                                      adaptive.Algorithm
	latency, least, most, start, window, tolerance int64
	given                                          uint16 // a bit for each option that was there
}

// Read parses the arguments lease and holder and the options of CL.ENTER into a zero Entering.
func (r *Entering) Read(a *limiters.Args) (err error) {
	r.Options = adaptive.Default
	r.own, r.upTo = plain, 100
	r.lease, r.holder = a.Seconds("lease"), a.Next("holder")
	if a.Left() > 0 {
		err = r.readOptions(a)
	}
	switch {
	case a.Err != nil:
		return a.Err
	case len(r.holder) == 0:
		return limiters.ErrNoHolder
	case r.upTo < 1 || r.upTo > 100:
		return errUpTo
	}
	if _, wrong := lease.New(1, r.lease); wrong != nil {
		return wrong
	}
	return err
}

// readOptions parses the options of CL.ENTER. The error is that of a number.
func (r *Entering) readOptions(a *limiters.Args) (err error) {
	p := enterParams{
		Entering: r, least: adaptive.DefaultLeast, most: adaptive.DefaultMost, start: adaptive.DefaultStart,
		window: adaptive.DefaultWindow, tolerance: adaptive.DefaultTolerance,
	}
	for a.Left() > 0 && a.Err == nil {
		p.option(a)
	}
	r.Options, err = adaptive.New(p.algorithm, p.latency, p.least, p.most, p.start, p.window, p.tolerance)
	return err
}

// option parses one option of CL.ENTER.
func (p *enterParams) option(a *limiters.Args) {
	arg := a.More()
	i := enterWord(arg)
	if i < 0 {
		cause := " is not an option of CL.ENTER"
		if len(p.shares) > 0 {
			cause += ", and no partition may have the name of one"
		}
		a.Fail(limiters.SyntaxError(quote.Word(arg) + cause + ": use AIMD, VEGAS, GRADIENT2, " +
			"GRADIENT, BETWEEN, START, WINDOW, TOLERANCE, PARTITION, UPTO, MS, PEEK"))
		return
	}
	bit := uint16(1) << i
	if i < algorithmWords {
		bit = 1<<algorithmWords - 1
	}
	one := &enterWords[i]
	a.Next(one.word)
	switch {
	case p.given&bit != 0 && i < algorithmWords && p.given&(1<<i) == 0:
		a.Fail(limiters.SyntaxError(quote.Word(arg) + " is a second algorithm"))
	case p.given&bit != 0:
		a.Fail(limiters.SyntaxError(quote.Word(arg) + " repeats"))
	case a.Left() < one.needs:
		a.Fail(limiters.SyntaxError(quote.Word(arg) + " needs " + one.after + " after it"))
	default:
		p.given |= 1 << i
		p.read(a, i)
	}
}

// read reads the words after an option, which has a number.
func (p *enterParams) read(a *limiters.Args, option int) {
	switch enterWords[option].word {
	case "between":
		p.least, p.most = a.Integer("least"), a.Integer("most")
	case "start":
		p.start = a.Integer("start")
	case "window":
		p.window = a.Seconds("window")
	case "tolerance":
		p.tolerance = a.Integer("tolerance")
	case "upto":
		p.upTo = a.Integer("upto")
	case "partition":
		p.readShares(a)
	case "ms":
		p.Millis = true
	case "peek":
		p.Looks = true
	case "aimd":
		p.latency = a.Seconds("latency")
		fallthrough
	default:
		p.algorithm = adaptive.Algorithm(option)
	}
}

// enterWord returns the number of an option of CL.ENTER, -1 for another word.
func enterWord(arg []byte) int {
	for i := range enterWords {
		if word.Is(arg, enterWords[i].word) {
			return i
		}
	}
	return -1
}

// Leaving is a request of CL.LEAVE.
type Leaving struct {
	holder  []byte
	latency int64 // ns; -1 if the server measures it
	outcome outcome
}

// outcome says how a call ended.
type outcome uint8

const (
	succeeded outcome = iota
	droppedCall
	ignored
)

// Read parses the arguments holder and latency and the options of CL.LEAVE into a zero Leaving. With MS the
// latency is in milliseconds.
func (r *Leaving) Read(a *limiters.Args) error {
	r.holder, r.latency = a.Next("holder"), -1
	if limiters.IsNumeric(a.More()) {
		r.latency = a.Seconds("latency")
	}
	measured, ended, millis := r.latency >= 0, false, false
	for a.Left() > 0 && a.Err == nil {
		arg := a.Next("option")
		switch i := leaveWord(arg); {
		case i < 0:
			a.Fail(limiters.SyntaxError(quote.Word(arg) + " is not an option of CL.LEAVE: " +
				"use a latency in seconds first, OK, DROP, IGNORE, MS"))
		case i == inMillis && millis:
			a.Fail(limiters.SyntaxError(quote.Word(arg) + " repeats"))
		case i == inMillis && !measured:
			a.Fail(limiters.SyntaxError("'MS' needs a latency before it"))
		case i == inMillis:
			millis = true
			r.latency /= 1000
		case ended:
			a.Fail(limiters.SyntaxError(quote.Word(arg) + " is a second end of the call"))
		default:
			r.outcome, ended = outcome(i), true
		}
	}
	return a.Err
}

// inMillis is the number of the option MS, after the ends of a call.
const inMillis = int(ignored) + 1

// leaveWord returns the number of an option of CL.LEAVE, -1 for another word.
func leaveWord(arg []byte) int {
	all := [...]string{succeeded: "ok", droppedCall: "drop", ignored: "ignore", inMillis: "ms"}
	for i, name := range all {
		if word.Is(arg, name) {
			return i
		}
	}
	return -1
}
