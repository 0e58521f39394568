package commands

import (
	"errors"
	"strings"

	"cellserver/internal/exact"
	"cellserver/store"
)

// Every limiter takes the same way: its arguments are read (limiter_args.go) and become a
// limiter, which decides about the entry of a key and changes nothing, and then applies what
// was decided. So several limits can be all or nothing: all decide, then all apply or none.
//
// The arithmetic is that of the packages gcra, window, … ; a limiter's file here says how its
// state lies in a key, and what a client asks it with.

// limiter is a way of limiting with its parameters, such as CL.WINDOW's 100 in 60 seconds. It
// is a value without state: the state is the key's.
type limiter interface {
	// find makes an entry that of a key, for decide and apply.
	find(e *store.Entry, tx *store.Tx, key []byte)
	// decide answers a request for a quantity on the entry's key at now, in Unix
	// nanoseconds. It changes nothing, and what it answers holds until the key changes.
	// With an error it is no answer.
	decide(e *store.Entry, a *answer, now, quantity int64) error
	// apply stores what was decided about the entry at now, the same now. It cannot fail.
	apply(e *store.Entry, a *answer, now int64)
}

// answer is what every limiter decides. Times are nanoseconds from now on.
type answer struct {
	limited bool // the request must not pass
	changed bool // there is something to apply: a request that passed, mostly

	limit, remaining int64
	retryAfter       int64 // after which the same request passes; -1 if it passed, or never can
	resetAfter       int64 // after which all of limit is there again
	hold             int64 // for which the caller is to hold the request, if the limiter paces

	state [4]int64 // what apply stores, in the limiter's own terms
}

// set makes it the answer of a limiter that does not pace, without its state.
func (a *answer) set(limited, changed bool, limit, remaining, retryAfter, resetAfter int64) {
	a.limited, a.changed, a.limit, a.remaining = limited, changed, limit, remaining
	a.retryAfter, a.resetAfter, a.hold = retryAfter, resetAfter, 0
}

// limiters are the limiters that a rule may be made of, by the name of their command. Each
// reads its limiter's parameters: what follows the key on a command line, the quantity and the
// options that concern a single request left out.
var limiters = map[string]func(*limiterArgs) (limiter, error){
	"cl.log":      ruleOf(logLimit),
	"cl.sliding":  ruleOf(slidingLimit),
	"cl.throttle": ruleOf(throttleLimit),
	"cl.window":   ruleOf(windowLimit),
}

func ruleOf[L limiter](read func(*limiterArgs) (L, error)) func(*limiterArgs) (limiter, error) {
	return func(a *limiterArgs) (limiter, error) { return read(a) }
}

// parseLimit reads a limiter's name and its parameters, as a rule has them:
// "CL.WINDOW 100 60 ALIGN".
func parseLimit(words [][]byte) (limiter, error) {
	var read func(*limiterArgs) (limiter, error)
	if len(words) > 0 {
		if cmd := lookup(words[0]); cmd != nil {
			read = limiters[cmd.Name]
		}
	}
	if read == nil {
		return nil, errNoLimiter
	}
	l, err := read(&limiterArgs{name: strings.ToLower(string(words[0])), rest: words[1:], rule: true})
	if err != nil {
		return nil, limiterError(err)
	}
	return l, nil
}

const errNoLimiter Error = "ERR no such limiter, or none that a rule can have"

// limiting is a client's room for what its limiter works on, so that asking one allocates
// nothing though a limiter is reached through an interface.
type limiting struct {
	args   limiterArgs
	entry  store.Entry
	answer answer
}

// replyFunc replies with an answer, its times in seconds or milliseconds.
type replyFunc func(c *Call, a *answer, millis bool)

// ask is all of a limiter's command: read its arguments, decide, apply, reply. The key is
// the first argument.
func ask[L limiter](c *Call, read func(*limiterArgs) (L, error)) error {
	return askFor(c, read, (*Call).replyAnswer)
}

// askFor is ask with another reply.
func askFor[L limiter](c *Call, read func(*limiterArgs) (L, error), reply replyFunc) error {
	if c.Client.limiting == nil {
		c.Client.limiting = new(limiting)
	}
	room := c.Client.limiting
	room.args.begin(c.Cmd.Name, c.Args[2:])
	return limiterError(askIn(c, room, read, reply))
}

// forget ends a batch: an idle client keeps no request alive.
func (l *limiting) forget() {
	if l != nil {
		l.args.rest, l.entry = nil, store.Entry{}
	}
}

func askIn[L limiter](c *Call, room *limiting, read func(*limiterArgs) (L, error), reply replyFunc) error {
	l, err := read(&room.args)
	if err != nil {
		return err
	}
	looks := c.Cmd.Flags&ReadOnly != 0
	if looks {
		room.entry = c.Tx.Read(c.Args[1])
	} else {
		l.find(&room.entry, c.Tx, c.Args[1])
	}
	a := &room.answer
	if err = l.decide(&room.entry, a, c.Now, room.args.quantity); err != nil {
		return err
	}
	looks = looks || room.args.has(optPeek)
	if a.changed && !looks {
		l.apply(&room.entry, a, c.Now)
	}
	c.decidedOn(c.Args[1], a.limited, looks || room.args.quantity == 0)
	reply(c, a, room.args.has(optMS))
	return nil
}

// replyAnswer replies with the five integers of every limiter, times in seconds or
// milliseconds, rounded up.
func (c *Call) replyAnswer(a *answer, millis bool) {
	c.Out.Ints(int64(bit(a.limited)), a.limit, a.remaining, wholeUnits(a.retryAfter, millis), wholeUnits(a.resetAfter, millis))
}

// wholeUnits is a duration in seconds or milliseconds, rounded up, so that who waits it never
// comes too early. -1, never, stays -1.
func wholeUnits(ns int64, millis bool) int64 {
	switch {
	case ns == never:
		return never
	case millis:
		return exact.CeilDiv(ns, 1e6)
	}
	return exact.CeilDiv(ns, 1e9)
}

// never is the time after which a request passes that passed, or never can.
const never = -1

// expiryAfter is when a state that means nothing any more after some nanoseconds from now may
// expire, in Unix milliseconds.
func expiryAfter(now, after int64) int64 {
	return exact.CeilDiv(exact.Plus(now, after), 1e6)
}

// limiterError makes a reply of an error of the limiters' packages, which name the argument
// that is wrong.
func limiterError(err error) error {
	if err == nil {
		return nil
	}
	if _, is := errors.AsType[Error](err); is {
		return err
	}
	return Error("ERR " + err.Error())
}

// ordinary is of limiters whose key is found like any other.
type ordinary struct{}

func (ordinary) find(e *store.Entry, tx *store.Tx, key []byte) { tx.WriteIn(e, key) }
