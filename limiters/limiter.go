package limiters

import (
	"strings"

	"cellserver/internal/exact"
	"cellserver/internal/rediserr"
	"cellserver/store"
)

// Limiter is a way of limiting with its numbers, such as CL.WINDOW's 100 in 60 seconds.
// A Limiter is a value without state: the key holds the state.
type Limiter interface {
	// Find sets e to the entry of a key, ready for Decide and Apply.
	Find(e *store.Entry, tx *store.Tx, key []byte)
	// Decide answers a request for a quantity on the entry's key. now is Unix nanoseconds.
	// Decide changes nothing, and the answer holds until the key changes. After an error the
	// answer is meaningless.
	Decide(e *store.Entry, a *Answer, now, quantity int64) error
	// Apply stores the decision about the entry. now is Decide's. Apply cannot fail.
	Apply(e *store.Entry, a *Answer, now int64)
}

// Answer is what every limiter decides. Times are nanoseconds from now on.
type Answer struct {
	Limited bool // the request must not pass
	Changed bool // there is something to apply: mostly, the request passed

	Limit, Remaining int64
	RetryAfter       int64 // after which the same request passes; Never if it passed or never can
	ResetAfter       int64 // after which the whole limit is available again
	Hold             int64 // for which the caller must hold the request, if the limiter paces

	state [4]int64 // what Apply stores, in the limiter's own terms
}

// Never is the time after which a request passes that has passed, or that never can.
const Never = -1

// set fills in the answer of a limiter that does not pace, without its state.
func (a *Answer) set(limited, changed bool, limit, remaining, retryAfter, resetAfter int64) {
	a.Limited, a.Changed, a.Limit, a.Remaining = limited, changed, limit, remaining
	a.RetryAfter, a.ResetAfter, a.Hold = retryAfter, resetAfter, 0
}

// Tighter reports whether a leaves less than b: a refusal before a pass, then the longer
// wait, then the smaller remainder.
func (a *Answer) Tighter(b *Answer) bool {
	switch {
	case a.Limited != b.Limited:
		return a.Limited
	case a.Limited && a.RetryAfter != b.RetryAfter:
		return b.RetryAfter != Never && (a.RetryAfter == Never || a.RetryAfter > b.RetryAfter)
	case a.Remaining != b.Remaining:
		return a.Remaining < b.Remaining
	}
	return a.ResetAfter > b.ResetAfter
}

// readers read the parameters of the limiters that a rule may have, by the name of their
// command. The parameters are the words after the key, without a quantity and without
// options of a single request.
var readers = map[string]func(*Args) (Limiter, error){
	"cl.log":      reader(ReadLog),
	"cl.sliding":  reader(ReadSliding),
	"cl.throttle": reader(ReadThrottle),
	"cl.window":   reader(ReadWindow),
}

func reader[L Limiter](read func(*Args) (L, error)) func(*Args) (Limiter, error) {
	return func(a *Args) (Limiter, error) { return read(a) }
}

// ErrNoLimiter is the error of a rule whose limit starts with an unknown word.
const ErrNoLimiter rediserr.Error = "ERR no such limiter, or none that a rule can have"

// Parse reads a limiter's name and its parameters, as a rule has them:
// "CL.WINDOW 100 60 ALIGN".
func Parse(words [][]byte) (Limiter, error) {
	if len(words) == 0 {
		return nil, ErrNoLimiter
	}
	name := strings.ToLower(string(words[0]))
	read := readers[name]
	if read == nil {
		return nil, ErrNoLimiter
	}
	l, err := read(&Args{name: name, rest: words[1:], rule: true})
	if err != nil {
		return nil, Explain(err)
	}
	return l, nil
}

// Scratch is reusable memory for one request to a limiter. A connection keeps one, so that a
// request allocates nothing although an interface reaches its limiter.
type Scratch struct {
	Args   Args
	Entry  store.Entry
	Answer Answer
}

// Release drops the references to the request. A nil Scratch is allowed.
func (r *Scratch) Release() {
	if r != nil {
		r.Args.Release()
		r.Entry = store.Entry{}
	}
}

// plainKey is part of limiters that find their key like any other command.
type plainKey struct{}

// Find implements [Limiter].
func (plainKey) Find(e *store.Entry, tx *store.Tx, key []byte) { tx.WriteIn(e, key) }

// expiryAfter is the Unix millisecond at which a state may expire that is meaningless some
// nanoseconds from now on.
func expiryAfter(now, after int64) int64 {
	return exact.CeilDiv(exact.Plus(now, after), 1e6)
}
