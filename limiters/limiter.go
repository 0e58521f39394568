package limiters

import (
	"iter"

	"cellserver/internal/exact"
	"cellserver/store"
)

// Limiter is an algorithm with its parameters, such as CL.WINDOW with 100 actions in 60 seconds. A Limiter
// has no state: the key holds the state.
type Limiter interface {
	// KeepsTAT reports whether the key holds a TAT, so that [store.Tx.FindIn] keeps one that has passed.
	KeepsTAT() bool
	// Decide answers a request for a quantity. e is the entry of the key, now is in Unix
	// nanoseconds. Decide changes nothing. The answer is valid until the key changes. After an error
	// the answer is meaningless.
	Decide(e *store.Entry, a *Answer, now, quantity int64) error
	// Apply stores the decision in the entry. now is the time of Decide. Apply cannot fail.
	Apply(e *store.Entry, a *Answer, now int64)
}

// Limit is a limiter that a rule may have, as a rule keeps and explains it.
type Limit interface {
	Budget
	// Reserving returns the limiter for a quantity that may be settled later.
	Reserving() Budget
	// Window returns the nanoseconds in which the whole limit comes back.
	Window() int64
	// State returns what the key holds, in plain numbers. Times are Unix milliseconds, rounded up. A state
	// without effect at now has zeros. Call State only after a Decide without an error.
	State(e *store.Entry, now int64) []Field
}

// Budget is a limiter as a request to a rule asks it: the quantity may be known only after the action.
type Budget interface {
	Limiter
	// Charge is Decide for a quantity that counts even if less is left. If more than the limit counts, the
	// answer is limited, the remainder is negative, and RetryAfter is the time until a quantity of 1 passes.
	Charge(e *store.Entry, a *Answer, now, quantity int64) error
	// Mark returns the part of a decision that Settle needs later. The decision allows a quantity.
	Mark(a *Answer) Mark
	// Settle replaces the estimated cost of a request with its real cost. The answer is that of a charge of 0
	// afterwards.
	Settle(e *store.Entry, a *Answer, now int64, s *Settlement) error
	// Release gives back reservations that have ended, and stores the result. The result is the same as if
	// each reservation had been settled at its end, with a real cost of 0. ended has their ends, in order.
	Release(e *store.Entry, now int64, ended iter.Seq2[int64, *Settlement]) error
}

// Field is a number of a state.
type Field struct {
	Name  string
	Value int64
}

// Mark is what a limit remembers of a decision: the end of a window, or a length of time. Period is 0 if the
// limit needs no period.
type Mark struct {
	IsTime        bool
	Value, Period int64
}

// Settlement says that a request at the time At reserved a quantity, and what it really cost.
type Settlement struct {
	At, Reserved, Real int64
	Mark
}

// more returns the real cost minus the estimate. Neither is negative.
func (s *Settlement) more() int64 { return s.Real - s.Reserved }

// Answer is the decision of a limiter. Times are nanoseconds from now.
type Answer struct {
	Limited bool // the request must not pass
	Changed bool // Apply has a change to store

	Limit, Remaining int64
	RetryAfter       int64 // time until the same request passes; Never if it passes now or can never pass
	ResetAfter       int64 // time until the whole limit is available again
	Hold             int64 // time for which the caller must hold the request; only CL.PACE sets it

	state [4]int64 // what Apply stores, in the limiter's own terms
}

// Never is the RetryAfter of a request that passes, and of a request that can never pass.
const Never = -1

// Seconds converts nanoseconds to seconds, rounded up: a client that waits so long never retries too early.
// It returns Never for Never.
func Seconds(ns int64) int64 {
	if ns == Never {
		return Never
	}
	return exact.CeilDiv(ns, 1e9)
}

// Set sets all fields but state. Hold becomes 0.
func (a *Answer) Set(limited, changed bool, limit, remaining, retryAfter, resetAfter int64) {
	a.Limited, a.Changed, a.Limit, a.Remaining = limited, changed, limit, remaining
	a.RetryAfter, a.ResetAfter, a.Hold = retryAfter, resetAfter, 0
}

// Tighter reports whether a is the tighter of two answers. A refusal is tighter than a pass; then
// the longer wait counts, then the smaller remainder, then the later reset.
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

// plainKey has the method KeepsTAT of limiters that find their key like any other command.
type plainKey struct{}

// KeepsTAT implements [Limiter].
func (plainKey) KeepsTAT() bool { return false }

// expiryAfter returns the Unix millisecond at which a state may expire. after is the time in
// nanoseconds from now until the state has no effect.
func expiryAfter(now, after int64) int64 {
	return exact.CeilDiv(exact.Plus(now, after), 1e6)
}

// unlessPast converts a time to Unix milliseconds. It returns 0 if the time has come.
func unlessPast(at, now int64) int64 {
	if at <= now {
		return 0
	}
	return exact.CeilDiv(at, 1e6)
}

// wholeMicros converts a score, which clients may have written, to whole microseconds: rounded down, from 0
// to 9·10¹⁵. The largest value is in the year 2255, so it fits into nanoseconds.
func wholeMicros(score float64) int64 {
	const latest = 9e15
	return int64(min(max(score, 0), latest))
}

// Asked is one of several limiters that decide together, with the entry of its key and its quantity.
type Asked struct {
	Limiter  Budget
	Entry    store.Entry
	Answer   Answer
	Quantity int64
}
