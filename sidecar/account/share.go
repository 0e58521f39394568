package account

import (
	"math"

	"cellserver/internal/exact"
)

// Policy says what becomes of requests that only the hub could decide, while it does not answer.
type Policy uint8

// The policies.
const (
	Deny  Policy = iota // refuse
	Allow               // allow
	Share               // decide by the limit divided by the number of sidecars
)

// TellPeriod says in how many nanoseconds the whole limit comes back. Without it the account estimates that.
func (a *Account) TellPeriod(nanos int64) {
	a.known.period, a.known.isTold = min(exact.CeilDiv(nanos, 1e6), longestPeriod), true
}

// WantsPeriod reports whether nobody has said in what time the limit comes back.
func (a *Account) WantsPeriod() bool { return !a.known.isTold }

// WithoutHub decides about a request that Take passes, or that has waited, while the hub does not answer. If
// it has waited, the caller first calls Gone. The verdict is Pass if nobody knows the limit yet.
func (a *Account) WithoutHub(now Time, quantity int64, p Policy, sidecars int64) (Verdict, Answer) {
	limit := a.known.answer.Limit
	switch {
	case p == Allow:
		return Local, a.answer(now)
	case limit == 0:
		return Pass, Answer{}
	case p == Share:
		return a.takeShare(now, quantity, sidecars)
	}
	answer := a.refusal(now, quantity)
	answer.RetryAfter = max(answer.RetryAfter, pauseAfter/1000)
	return Refused, answer
}

// takeShare decides about a share of the limit, which comes back in the time of the whole limit. If there are
// more sidecars than units, the share is one unit, and comes back later. It is a GCRA whose state is the time
// at which the share is full again.
func (a *Account) takeShare(now Time, quantity, sidecars int64) (Verdict, Answer) {
	h, answer := a.hold(), a.answer(now)
	period, limit := max(1, a.known.period), a.known.answer.Limit
	if !a.known.isTold {
		period = max(period, 4*a.length(now))
	}
	share := max(1, limit/max(1, sidecars))
	if sidecars > limit {
		period = times(period, sidecars, limit)
	}
	period *= 1000
	interval := exact.CeilDiv(period, share)
	used := max(0, h.share-now.Boot)
	taken, ok := exact.Mul(quantity, interval)
	if !ok || taken > period-used {
		answer.Remaining = max(0, (period-used)/interval)
		answer.RetryAfter, answer.ResetAfter = -1, exact.CeilDiv(used, 1000)
		if quantity <= share {
			answer.RetryAfter = exact.CeilDiv(exact.Plus(taken, used-period), 1000)
		}
		return Refused, answer
	}
	h.share = now.Boot + used + taken
	answer.Remaining, answer.ResetAfter = (period-used-taken)/interval, exact.CeilDiv(used+taken, 1000)
	return Local, answer
}

// longestPeriod bounds the time in which a limit comes back, in milliseconds: a hundred years.
const longestPeriod = 100 * 365 * 24 * 3600 * 1000

// longestTime bounds the times of an answer, in milliseconds: as nanoseconds they fit an int64.
const longestTime = math.MaxInt64 / 1_000_000

// within returns an answer whose limit and times are none that a limiter cannot have.
func (a Answer) within() Answer {
	a.Limit = max(0, a.Limit)
	a.RetryAfter = max(-1, min(a.RetryAfter, longestTime))
	a.ResetAfter = max(0, min(a.ResetAfter, longestTime))
	return a
}

// learn keeps an answer of the hub to a question. Nobody knows which of two answers the hub gave first, if
// their questions were on their way together. Then the lesser Remaining counts.
func (k *known) learn(now, departed Time, answer Answer) {
	old, answer := *k, answer.within()
	k.answer, k.at = answer, now.Boot
	if answer.Limit != old.answer.Limit && !k.isTold {
		k.period, k.isSound = 0, false
	} else if old.at > departed.Boot {
		k.answer.Remaining = min(answer.Remaining, old.answer.Remaining)
	}
	k.estimate(answer)
}

// estimate estimates in how many milliseconds the whole limit comes back, and rather too long: what is used
// now comes back in ResetAfter. An estimate from a small part of the limit is coarse, so a larger part
// replaces it.
func (k *known) estimate(answer Answer) {
	used := answer.Limit - answer.Remaining
	if used <= 0 || answer.ResetAfter <= 0 || k.isTold {
		return
	}
	period := times(answer.ResetAfter, answer.Limit, max(1, used-1))
	isSound := used >= answer.Limit/4
	switch {
	case isSound == k.isSound:
		k.period = max(k.period, period)
	case isSound:
		k.period, k.isSound = period, true
	}
}

// times returns a time multiplied by a fraction, and at most the longest period.
func times(t, by, of int64) int64 {
	product, _, ok := exact.MulDiv(t, by, of)
	if !ok {
		return longestPeriod
	}
	return min(product, longestPeriod)
}
