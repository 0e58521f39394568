package gcra

import (
	"errors"
	"math"

	"cellserver/internal/exact"
)

const nanosPerSecond = 1_000_000_000

// ErrZeroRate says that count or period is 0, or that there is less than a nanosecond between two requests.
// The text is redis-cell's.
//
//lint:ignore ST1005 clients compare the text, so it is redis-cell's to the letter
var ErrZeroRate = errors.New("Zero rates are not supported")

var (
	errNegativeMaxBurst = errors.New("max_burst must not be negative")
	errNegativeCount    = errors.New("count must not be negative")
	errNegativePeriod   = errors.New("period must not be negative")
	errCount            = errors.New("count must be positive")
	errPeriod           = errors.New("period must be positive")
	errCountTooLarge    = errors.New("count is too large for this period: less than a nanosecond " +
		"between two requests")
	errPeriodTooLong    = errors.New("period is too long for this count: over 292 years between two requests")
	errMaxBurstTooLarge = errors.New("max_burst is too large for this count and period: a burst would " +
		"need over 292 years to come back")
)

// Quota is a rate and the burst above it. NewQuota makes one. The zero Quota answers every request with
// ErrZeroRate.
type Quota struct {
	interval  int64 // ns from one request to the next, at least 1
	tolerance int64 // interval * limit
	limit     int64 // requests in a full burst, at least 1
}

// NewQuota returns a quota of count requests in period seconds, and maxBurst more at once. It checks for
// ErrZeroRate first, as redis-cell does. Other errors name the argument that is negative, or that makes the
// quota exceed int64 nanoseconds.
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

// NewQuotaIn returns a quota of count requests in period nanoseconds, and maxBurst more at once. Its errors
// name the argument that is out of range, or that makes the quota exceed int64 nanoseconds.
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

// quotaOf returns the quota of one request in interval nanoseconds.
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

// Limit returns the number of requests in a full burst: max_burst + 1.
func (q Quota) Limit() int64 { return q.limit }

// Window returns the time in which a full burst comes back, in nanoseconds.
func (q Quota) Window() int64 { return q.tolerance }

// Interval returns the time in which one request comes back, in nanoseconds.
func (q Quota) Interval() int64 { return q.interval }
