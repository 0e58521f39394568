package gcra

import (
	"math"
	"math/big"
)

// The model computes the formulas of the package comment in integers of any size. It shares only the Decision and
// the errors with the code.

type modelQuota struct{ interval, tolerance, limit *big.Int }

func n(v int64) *big.Int { return big.NewInt(v) }

func modelNewQuota(maxBurst, count, period int64) (modelQuota, error) {
	if count == 0 || period == 0 {
		return modelQuota{}, ErrZeroRate
	}
	if count < 0 {
		return modelQuota{}, errNegativeCount
	}
	if period < 0 {
		return modelQuota{}, errNegativePeriod
	}
	interval := new(big.Int).Mul(n(period), n(1e9))
	interval.Div(interval, n(count))
	limit := new(big.Int).Add(n(maxBurst), n(1))
	tolerance := new(big.Int).Mul(interval, limit)
	switch {
	case !interval.IsInt64():
		return modelQuota{}, errPeriodTooLong
	case interval.Sign() == 0:
		return modelQuota{}, ErrZeroRate
	case maxBurst < 0:
		return modelQuota{}, errNegativeMaxBurst
	case !limit.IsInt64() || !tolerance.IsInt64():
		return modelQuota{}, errMaxBurstTooLarge
	}
	return modelQuota{interval, tolerance, limit}, nil
}

// saturated returns the smaller of v and the largest int64.
func saturated(v *big.Int) int64 {
	if v.Cmp(n(math.MaxInt64)) > 0 {
		return math.MaxInt64
	}
	return v.Int64()
}

func (q modelQuota) decide(tat, now, quantity int64) (Decision, error) {
	increment := new(big.Int).Mul(n(quantity), q.interval)
	if !increment.IsInt64() {
		return Decision{}, errQuantityOutOfRange
	}
	start := n(now)
	if tat > now && tat != 0 {
		start = n(tat)
	}
	next := new(big.Int).Add(start, increment)
	if quantity < 0 && next.Cmp(n(now)) < 0 {
		next = n(now)
	}
	if !next.IsInt64() {
		return Decision{}, errQuantityTooFar
	}
	d := Decision{TAT: tat, Limit: q.limit.Int64(), RetryAfter: -1}
	wait := new(big.Int).Sub(next, q.tolerance)
	wait.Sub(wait, n(now))
	if quantity >= 0 && wait.Sign() > 0 {
		d.Limited = true
		if increment.Cmp(q.tolerance) <= 0 {
			d.RetryAfter = saturated(wait)
		}
		next = start
	} else if next.Cmp(start) != 0 {
		d.TAT, d.Changed = next.Int64(), true
	}
	reset := new(big.Int).Sub(next, n(now))
	d.ResetAfter = saturated(reset)
	if left := new(big.Int).Sub(q.tolerance, reset); left.Sign() > 0 {
		d.Remaining = left.Div(left, q.interval).Int64()
	}
	return d, nil
}
