package limiters

import (
	"errors"
	"iter"
	"strconv"
	"strings"

	"cellserver/gcra"
	"cellserver/internal/decimal"
	"cellserver/internal/exact"
	"cellserver/internal/rediserr"
	"cellserver/internal/word"
	"cellserver/store"
)

// Rate is the limiter of CL.THROTTLE. Its key holds a TAT in Unix nanoseconds.
type Rate struct {
	gcra.Quota
	tag int64 // of its numbers in a [Ledger]: the milliseconds from a TAT to the expiry of its key
}

// KeepsTAT implements [Limiter].
func (Rate) KeepsTAT() bool { return true }

// Decide implements [Limiter]. It refuses every quantity above the limit. An error would be no decision, and
// clients that fail open would allow the largest quantities.
func (r Rate) Decide(e *store.Entry, a *Answer, now, quantity int64) error {
	tat, err := Integer(e)
	if err != nil {
		return err
	}
	d, err := r.Quota.Decide(tat, now, quantity)
	if err != nil {
		if look, fails := r.Quota.Decide(tat, now, 0); fails == nil && quantity > look.Limit {
			look.Limited = true
			d, err = look, nil
		}
	}
	a.setRate(d)
	return err
}

// Charge implements [Budget].
func (r Rate) Charge(e *store.Entry, a *Answer, now, quantity int64) error {
	tat, err := Integer(e)
	if err != nil {
		return err
	}
	d, err := r.Quota.Charge(tat, now, quantity)
	if d.Limited {
		d.RetryAfter = exact.Plus(d.RetryAfter, r.Interval()) // the debt is paid, and a quantity of 1 comes back
	}
	a.setRate(d)
	return err
}

// Reserving implements [Limit].
func (r Rate) Reserving() Budget { return r }

// Mark implements [Budget]. It is the emission interval, because a later rule may have another one.
func (r Rate) Mark(*Answer) Mark { return Mark{Value: r.Interval()} }

// Settle implements [Budget].
func (r Rate) Settle(e *store.Entry, a *Answer, now int64, s *Settlement) error {
	tat, err := Integer(e)
	if err != nil {
		return err
	}
	settled, err := r.settle(tat, now, s)
	if err != nil {
		return err
	}
	d, err := r.Quota.Charge(settled, now, 0)
	if d.Limited {
		d.RetryAfter = exact.Plus(d.RetryAfter, r.Interval())
	}
	d.TAT, d.Changed = settled, settled != tat
	a.setRate(d)
	return err
}

// Release implements [Budget].
func (r Rate) Release(e *store.Entry, now int64, ended iter.Seq2[int64, *Settlement]) error {
	before, err := Integer(e)
	if err != nil {
		return err
	}
	tat := before
	for end, s := range ended {
		if settled, err := r.settle(tat, end, s); err == nil {
			tat = settled
		}
	}
	if tat != before {
		r.store(e, tat, now)
	}
	return nil
}

// settle returns the TAT after a settlement. The TAT counts at the interval in force, also what a request
// has reserved at another one. A part of the reservation came back at either interval. So a refund takes the
// shorter one for all of that time, and gives back too little rather than too much.
func (r Rate) settle(tat, now int64, s *Settlement) (int64, error) {
	if s.Real >= s.Reserved {
		return gcra.Settle(tat, now, r.Interval(), s.At, s.Reserved, s.Real)
	}
	interval := max(1, min(s.Value, r.Interval()))
	settled, err := gcra.Settle(tat, now, interval, s.At, s.Reserved, s.Real)
	if err != nil || settled == tat || interval == r.Interval() {
		return settled, err
	}
	refund, _, ok := exact.MulDiv(tat-settled, r.Interval(), interval)
	if !ok || refund >= tat-now {
		return now, nil
	}
	return tat - refund, nil
}

// State implements [Limit].
func (Rate) State(e *store.Entry, now int64) []Field {
	tat, _ := Integer(e)
	return []Field{{"tat", unlessPast(tat, now)}}
}

// Apply implements [Limiter].
func (r Rate) Apply(e *store.Entry, a *Answer, now int64) { r.store(e, a.state[0], now) }

func (a *Answer) setRate(d gcra.Decision) {
	a.Set(d.Limited, d.Changed, d.Limit, d.Remaining, d.RetryAfter, d.ResetAfter)
	a.state[0] = d.TAT
}

// store stores a TAT, in Unix nanoseconds. The key expires when the TAT has passed. If it has passed at
// now, store deletes the key, because an absent key means the same.
func (r Rate) store(e *store.Entry, tat, now int64) {
	if tat <= now {
		e.Delete()
		return
	}
	e.SetInt(tat, exact.CeilDiv(tat, 1e6)+r.tag)
}

// Charge is the limiter of CL.CHARGE. It consumes the quantity even if less is left.
type Charge struct{ Rate }

// Decide implements [Limiter].
func (r Charge) Decide(e *store.Entry, a *Answer, now, quantity int64) error {
	tat, err := Integer(e)
	if err != nil {
		return err
	}
	d, err := r.Quota.Charge(tat, now, quantity)
	a.setRate(d)
	return err
}

// ReadCharge parses the arguments max_burst, count, period and a quantity, which is required. It may also be
// the option QUANTITY.
func ReadCharge(a *Args) (r Charge, err error) {
	maxBurst, count, period := a.Integer("max_burst"), a.Integer("count"), a.Seconds("period")
	if !a.NamesQuantity(0) {
		a.TakeQuantity()
	}
	if err = a.FinishRequired(0); err == nil {
		r.Quota, err = gcra.NewQuotaIn(maxBurst, count, period)
	}
	return r, err
}

// ReadGCRA parses the arguments of GCRA, a command of Redis 8.8 before its release. Its name for count is
// tokens_per_period, also in errors.
func ReadGCRA(a *Args) (r Rate, err error) {
	maxBurst, count, period := a.Integer("max_burst"), a.Integer("tokens_per_period"), a.Seconds("period")
	if err = a.Options(OptTokens); err != nil {
		return r, err
	}
	if r.Quota, err = gcra.NewQuotaIn(maxBurst, count, period); err != nil {
		err = errors.New(strings.Replace(err.Error(), "count", "tokens_per_period", 1))
	}
	return r, err
}

var errThrottlecrabBurst = errors.New("max_burst must be positive")

// ReadThrottlecrab parses the arguments of THROTTLE, the command of throttlecrab. Its max_burst is
// the limit itself.
func ReadThrottlecrab(a *Args) (r Rate, err error) {
	maxBurst, count, period := a.Integer("max_burst"), a.Integer("count"), a.Seconds("period")
	switch err = a.Finish(0); {
	case err != nil:
		return r, err
	case maxBurst <= 0:
		return r, errThrottlecrabBurst
	}
	r.Quota, err = gcra.NewQuotaIn(maxBurst-1, count, period)
	return r, err
}

// ErrThrottleUsage is the error of redis-cell for a wrong number of arguments.
const ErrThrottleUsage rediserr.Error = "Cell error: Store error: Usage: cl.throttle <key> <max_burst> <count per period> <period> [<quantity>]"

// Cell is the limiter of CL.THROTTLE. To it a quantity that no int64 nanoseconds can hold is an error.
type Cell struct{ Rate }

// Decide implements [Limiter].
func (r Cell) Decide(e *store.Entry, a *Answer, now, quantity int64) error {
	tat, err := Integer(e)
	if err != nil {
		return err
	}
	d, err := r.Quota.Decide(tat, now, quantity)
	a.setRate(d)
	return err
}

// ReadThrottle parses the arguments of CL.THROTTLE: max_burst, count, period, a quantity (1) and options.
// With options the quantity is required. It may be the option QUANTITY. Errors have the texts of redis-cell.
func ReadThrottle(a *Args) (r Cell, err error) {
	const least, most = 3, 4
	n := min(len(a.rest), most)
	if n < least {
		return r, ErrThrottleUsage
	}
	own := Option(0)
	if len(a.rest) > most && word.Is(a.rest[least], "quantity") {
		n, own = least, OptQuantity
	}
	a.cell, a.rest = a.rest[:n], a.rest[n:]
	numbers := [most]int64{3: a.Quantity}
	for i, word := range a.cell {
		if numbers[i], err = cellInt(word); err != nil {
			return r, err
		}
	}
	r.Quota, err = gcra.NewQuota(numbers[0], numbers[1], numbers[2])
	a.Quantity = numbers[3]
	switch {
	case err == gcra.ErrZeroRate:
		return r, rediserr.Error("Cell error: Store error: " + err.Error())
	case err != nil || len(a.rest) == 0:
		return r, err
	case IsNumeric(a.rest[0]):
		return r, ErrThrottleUsage
	}
	return r, a.Options(own)
}

// readRate parses max_burst, count and period of CL.THROTTLE in a rule. A rule takes the same integers as
// [ReadThrottle]. Its errors are not those of redis-cell, because redis-cell does not have rules.
func readRate(a *Args) (r Rate, err error) {
	maxBurst, count, period := a.cellInteger("max_burst", "an integer"), a.cellInteger("count", "an integer"),
		a.cellInteger("period", "a whole number of seconds, such as 60,")
	if err = a.Options(0); err != nil {
		return r, err
	}
	switch r.Quota, err = gcra.NewQuota(maxBurst, count, period); {
	case err == nil:
	case maxBurst < 0:
		err = errNoBurst
	case count == 0:
		err = errNoCount
	case period == 0:
		err = errNoPeriod
	case err == gcra.ErrZeroRate:
		err = errFastCount
	}
	return r, err
}

// The errors of a rate that redis-cell calls zero.
var (
	errNoBurst   = errors.New("max_burst must not be negative: BLOCK refuses every action")
	errNoCount   = errors.New("count must be positive: BLOCK refuses every action")
	errNoPeriod  = errors.New("period must be positive")
	errFastCount = errors.New("count is too large for this period: " +
		"less than a nanosecond between two requests")
)

// cellInteger is [Args.Integer] for the integers of redis-cell. kind is what the error calls them.
func (a *Args) cellInteger(name, kind string) int64 {
	n, err := cellInt(a.Next(name))
	if err != nil && a.Err == nil {
		a.Err = a.Explain(errors.New(name + " is not " + kind + " or out of range"))
	}
	return n
}

// cellInt parses an integer as redis-cell (Rust) does: an optional sign and digits. So "+1", "007"
// and "-0" are integers.
func cellInt(b []byte) (int64, error) {
	if n, ok := decimal.Parse(b); ok {
		return n, nil
	}
	n, err := strconv.ParseInt(string(b), 10, 64)
	if err != nil {
		return 0, rediserr.Error("Cell error: Store error: Couldn't parse as integer: " + string(b))
	}
	return n, nil
}
