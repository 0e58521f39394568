package limiters

import (
	"errors"
	"math"

	"cellserver/gcra"
	"cellserver/internal/exact"
	"cellserver/internal/rediserr"
	"cellserver/limiters/slidinglog"
	"cellserver/limiters/window"
	"cellserver/store"
)

// Window is a fixed window in a request that names no rule. A quantity below 0 gives back what counts in the
// window of now. A charge beyond an int64 counts as much as fits.
type Window struct {
	FixedWindow
	charges bool // the quantity counts even if less is left
}

// ReadWindowRequest is [ReadWindow] with the option CHARGE.
func ReadWindowRequest(a *Args) (w Window, err error) {
	limit, period := a.Integer("limit"), a.Seconds("period")
	w.FixedWindow, err = windowOf(a, limit, period, a.Finish(windowOptions|OptCharge))
	w.charges = a.Has(OptCharge)
	return w, err
}

// severalOptions are those of one of several limits.
const severalOptions = windowOptions | OptBy

// Errors of the option BY.
var (
	errBy        = errors.New("by is not an algorithm: use SLIDING, LOG or GCRA, or leave it out for windows")
	errLogGives  = errors.New("quantity must not be negative: a log does not say whose actions come back")
	errByAligned = rediserr.Error("ERR BY and ALIGN exclude each other: " +
		"only fixed windows begin at given times")
)

// ReadOneOfSeveral parses one of several limits, without its key. The quantity is required. Without BY the
// limit is a fixed window. GCRA has the limit as its burst, which comes back in a period.
func ReadOneOfSeveral(a *Args) (Budget, error) {
	limit, period := a.Integer("limit"), a.Seconds("period")
	a.TakeQuantity()
	if err := a.Options(severalOptions); err != nil {
		return nil, err
	}
	if !a.Has(OptBy) {
		w, err := windowOf(a, limit, period, nil)
		return Window{FixedWindow: w}, err
	}
	if a.given&windowOptions != 0 {
		return nil, errByAligned
	}
	switch a.by {
	case "sliding":
		w, err := window.NewSliding(limit, period)
		return giving{SlidingWindow{Sliding: w}}, err
	case "log":
		if a.Quantity < 0 {
			return nil, errLogGives
		}
		l, err := slidinglog.New(limit, period, slidinglog.Options{})
		return giving{Log{Log: l}.Reserving()}, err
	case "gcra":
		if limit <= 0 {
			return nil, errors.New("limit must be positive")
		}
		quota, err := gcra.NewQuotaIn(limit-1, limit, period)
		return giving{Rate{Quota: quota}}, err
	}
	return nil, errBy
}

// wordsOfWindow are a key, a limit, a period and a quantity.
const wordsOfWindow = 4

// WindowWords returns how many of the words belong to the first of several limits: a key, a limit, a period,
// a quantity and options. Words that are missing count, too.
func WindowWords(words [][]byte) int {
	n := wordsOfWindow
	for n < len(words) {
		option := optionOf(words[n], severalOptions)
		if option < 0 {
			break
		}
		n++
		if allOptions[option].takes != unitOperand || calendarUnit(words[min(n, len(words)):]) != 0 {
			n++
		}
	}
	return n
}

// Decide implements [Limiter].
func (w Window) Decide(e *store.Entry, a *Answer, now, quantity int64) error {
	if w.charges || quantity < 0 {
		return w.Charge(e, a, now, quantity)
	}
	return w.FixedWindow.Decide(e, a, now, quantity)
}

// Charge implements [Limit].
func (w Window) Charge(e *store.Entry, a *Answer, now, quantity int64) error {
	count, err := counter(e)
	switch {
	case err != nil:
		return err
	case quantity < 0:
		return giveBack(w.FixedWindow, e, a, now, quantity)
	case now < count.End:
		quantity = min(quantity, math.MaxInt64-max(count.Used, 0))
	}
	return w.FixedWindow.Charge(e, a, now, quantity)
}

// giving is a limit of another algorithm that takes a quantity below 0, and any quantity of a charge.
type giving struct{ Budget }

// Decide implements [Limiter].
func (l giving) Decide(e *store.Entry, a *Answer, now, quantity int64) error {
	if quantity < 0 {
		return giveBack(l.Budget, e, a, now, quantity)
	}
	return l.Budget.Decide(e, a, now, quantity)
}

// Charge implements [Limit]. A quantity that is too large to count does not count, and is limited. An error
// would be no decision, and clients that fail open would allow it.
func (l giving) Charge(e *store.Entry, a *Answer, now, quantity int64) error {
	if quantity < 0 {
		return giveBack(l.Budget, e, a, now, quantity)
	}
	err := l.Budget.Charge(e, a, now, quantity)
	if err != nil && quantity > 0 && l.Budget.Charge(e, a, now, 0) == nil {
		a.Limited, err = true, nil
	}
	return err
}

// giveBack gives back -quantity of what counts now, as a settlement of a request of now that cost nothing. A
// quantity above all that counts is as good as that. It is never limited. The remainder is negative if more than
// the limit still counts.
func giveBack(l Budget, e *store.Entry, a *Answer, now, quantity int64) error {
	if err := l.Charge(e, a, now, 0); err != nil {
		return err
	}
	counts := exact.Plus(a.Limit, -a.Remaining)
	s := Settlement{At: now, Reserved: min(-max(quantity, -math.MaxInt64), counts), Mark: l.Mark(a)}
	err := l.Settle(e, a, now, &s)
	a.Limited, a.RetryAfter = false, Never
	return err
}
