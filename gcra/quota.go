package gcra

import (
	"errors"
	"math"

	"cellserver/internal/exact"
)

const nanosPerSecond = 1_000_000_000

// ErrZeroRate answers a count or a period of zero, and so many requests in so
// short a time that less than a nanosecond lies between two. The text is
// redis-cell's.
//
//lint:ignore ST1005 clients compare the text, so it is redis-cell's to the letter
var ErrZeroRate = errors.New("Zero rates are not supported")

var (
	errNegativeMaxBurst = errors.New("max_burst must not be negative")
	errNegativeCount    = errors.New("count must not be negative")
	errNegativePeriod   = errors.New("period must not be negative")
	errCount            = errors.New("count must be positive")
	errPeriod           = errors.New("period must be positive")
	errCountTooLarge    = errors.New("count is too large for this period: less than a nanosecond between two requests")
	errPeriodTooLong    = errors.New("period is too long for this count: over 292 years between two requests")
	errMaxBurstTooLarge = errors.New("max_burst is too large for this count and period: a burst would need over 292 years to come back")
)

// Quota is a rate and the burst above it. NewQuota makes it; the zero Quota
// answers every request with ErrZeroRate.
type Quota struct {
	interval  int64 // ns from one request to the next, at least 1
	tolerance int64 // interval * limit
	limit     int64 // requests in a full burst, at least 1
}

// NewQuota allows count requests in period seconds, and max_burst more at once.
// It answers ErrZeroRate first, as redis-cell does, then an error which names
// the argument that is negative or takes the quota out of int64 nanoseconds.
func NewQuota(maxBurst, count, period int64) (Quota, error) {
	switch {
	case count == 0 || period == 0:
		return Quota{}, ErrZeroRate
	case count < 0:
		return Quota{}, errNegativeCount
	case period < 0:
		return Quota{}, errNegativePeriod
	}
	interval, _, ok := exact.MulDiv(period, nanosPerSecond, count)
	if !ok {
		return Quota{}, errPeriodTooLong
	}
	return quotaOf(maxBurst, interval)
}

// NewQuotaIn allows count requests in period nanoseconds, and max_burst more at once. Its
// errors name the argument that is not positive, or negative, or takes the quota out of
// int64 nanoseconds.
func NewQuotaIn(maxBurst, count, period int64) (Quota, error) {
	switch {
	case count <= 0:
		return Quota{}, errCount
	case period <= 0:
		return Quota{}, errPeriod
	case period < count:
		return Quota{}, errCountTooLarge
	}
	return quotaOf(maxBurst, period/count)
}

// quotaOf is the quota of one request in interval nanoseconds.
func quotaOf(maxBurst, interval int64) (Quota, error) {
	switch {
	case interval == 0:
		return Quota{}, ErrZeroRate
	case maxBurst < 0:
		return Quota{}, errNegativeMaxBurst
	case maxBurst == math.MaxInt64:
		return Quota{}, errMaxBurstTooLarge
	}
	limit := maxBurst + 1
	tolerance, ok := exact.Mul(limit, interval)
	if !ok {
		return Quota{}, errMaxBurstTooLarge
	}
	return Quota{interval: interval, tolerance: tolerance, limit: limit}, nil
}

// Limit is the number of requests in a full burst: max_burst + 1.
func (q Quota) Limit() int64 { return q.limit }

// Interval is the time in nanoseconds in which one request comes back.
func (q Quota) Interval() int64 { return q.interval }
