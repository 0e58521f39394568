package limiters

import (
	"math"

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

// ReadWindowOf parses one of several windows, without its key. The quantity is required.
func ReadWindowOf(a *Args) (w Window, err error) {
	limit, period := a.Integer("limit"), a.Seconds("period")
	a.TakeQuantity()
	w.FixedWindow, err = windowOf(a, limit, period, a.Options(windowOptions))
	return w, err
}

// wordsOfWindow are a key, a limit, a period and a quantity.
const wordsOfWindow = 4

// WindowWords returns how many words a window has at the start of words: a key, a limit, a period, a quantity
// and its options. Words that are missing count, too.
func WindowWords(words [][]byte) int {
	n := wordsOfWindow
	for n < len(words) {
		option := optionOf(words[n], windowOptions)
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
	used, end, err := counter(e)
	switch {
	case err != nil:
		return err
	case quantity < 0:
		return giveBack(w.FixedWindow, e, a, now, quantity)
	case now < end:
		quantity = min(quantity, math.MaxInt64-max(used, 0))
	}
	return w.FixedWindow.Charge(e, a, now, quantity)
}

// giveBack gives back -quantity of what counts now, as a settlement of a request of now that cost nothing. It
// is never limited. The remainder is negative if more than the limit still counts.
func giveBack(l Limit, e *store.Entry, a *Answer, now, quantity int64) error {
	if err := l.Decide(e, a, now, 0); err != nil {
		return err
	}
	s := Settlement{At: now, Reserved: -max(quantity, -math.MaxInt64), Mark: l.Mark(a)}
	err := l.Settle(e, a, now, &s)
	a.Limited, a.RetryAfter = false, Never
	return err
}
