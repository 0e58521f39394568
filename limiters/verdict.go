package limiters

import (
	"errors"
	"iter"

	"cellserver/store"
)

// Verdict is a limit of a rule without numbers and without a state. BLOCK refuses every action, and ALLOW
// refuses none.
type Verdict struct {
	plainKey
	blocks bool
}

// Unlimited is the limit and the remainder of ALLOW. It is the largest integer of a header field of HTTP.
const Unlimited = 999_999_999_999_999

var errNegative = errors.New("quantity must not be negative")

// readBlock parses BLOCK, which has no arguments.
func readBlock(a *Args) (Verdict, error) { return Verdict{blocks: true}, a.Options(0) }

// readAllow parses ALLOW, which has no arguments.
func readAllow(a *Args) (Verdict, error) { return Verdict{}, a.Options(0) }

// Decide implements [Limiter].
func (v Verdict) Decide(_ *store.Entry, a *Answer, _, quantity int64) error {
	switch {
	case quantity < 0:
		return errNegative
	case v.blocks:
		a.Set(quantity > 0, false, 0, 0, Never, 0)
	default:
		a.Set(false, false, Unlimited, Unlimited, Never, 0)
	}
	return nil
}

// Charge implements [Budget]. A verdict counts nothing.
func (v Verdict) Charge(e *store.Entry, a *Answer, now, quantity int64) error {
	return v.Decide(e, a, now, quantity)
}

// Reserving implements [Limit].
func (v Verdict) Reserving() Budget { return v }

// Mark implements [Budget].
func (Verdict) Mark(*Answer) Mark { return Mark{} }

// Settle implements [Budget].
func (v Verdict) Settle(e *store.Entry, a *Answer, now int64, _ *Settlement) error {
	return v.Decide(e, a, now, 0)
}

// Release implements [Budget].
func (Verdict) Release(*store.Entry, int64, iter.Seq2[int64, *Settlement]) error { return nil }

// Window implements [Limit]. Nothing has to come back.
func (Verdict) Window() int64 { return 0 }

// State implements [Limit].
func (Verdict) State(*store.Entry, int64) []Field { return nil }

// Apply implements [Limiter].
func (Verdict) Apply(*store.Entry, *Answer, int64) {}
