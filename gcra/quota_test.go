package gcra

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestNewQuota(t *testing.T) {
	const greatest = math.MaxInt64
	for _, c := range []struct {
		name                    string
		maxBurst, count, period int64
		limit, interval         int64
	}{
		{"a second", 0, 1, 1, 1, second},
		{"a minute", 15, 30, 60, 16, 2 * second},
		{"a day", 99, 1, 86400, 100, 86400 * second},
		{"rounds down", 4, 7, 1, 5, 142857142},
		{"less than a microsecond", 4, 3_000_000, 1, 5, 333},
		{"one nanosecond", greatest - 1, 1e9, 1, greatest, 1},
		{"the longest interval", 0, 1, 9223372036, 1, 9223372036 * second},
		{"a product beyond int64, a quotient within", 0, greatest, greatest, 1, 1e9},
		{"the largest tolerance", 6, 1, 1317624576, 7, 1317624576 * second},
	} {
		t.Run(c.name, func(t *testing.T) {
			q, err := NewQuota(c.maxBurst, c.count, c.period)
			require.NoError(t, err)
			require.Equal(t, c.limit, q.Limit())
			require.Equal(t, c.interval, q.Interval())
		})
	}
}

func TestNewQuotaErrors(t *testing.T) {
	const lowest, greatest = math.MinInt64, math.MaxInt64
	for _, c := range []struct {
		name                    string
		maxBurst, count, period int64
		want                    string
	}{
		{"no count", 4, 0, 1, "Zero rates are not supported"},
		{"no period", 4, 1, 0, "Zero rates are not supported"},
		{"below a nanosecond", 4, 1e9 + 1, 1, "Zero rates are not supported"},
		{"zero before negative", -1, 0, -1, "Zero rates are not supported"},
		{"below a nanosecond before negative", -1, greatest, 1, "Zero rates are not supported"},
		{"max_burst below 0", -1, 1, 1, "max_burst must not be negative"},
		{"count below 0", 4, -1, 1, "count must not be negative"},
		{"period below 0", 4, 1, lowest, "period must not be negative"},
		{"period too long", 0, 1, 9223372037, "period is too long for this count: over 292 years between two requests"},
		{"period far too long", 0, 1, greatest, "period is too long for this count: over 292 years between two requests"},
		{"max_burst without a successor", greatest, 1e9, 1,
			"max_burst is too large for this count and period: a burst would need over 292 years to come back"},
		{"tolerance too long", 9223372036, 1, 1,
			"max_burst is too large for this count and period: a burst would need over 292 years to come back"},
	} {
		t.Run(c.name, func(t *testing.T) {
			q, err := NewQuota(c.maxBurst, c.count, c.period)
			require.EqualError(t, err, c.want)
			require.Zero(t, q)
		})
	}
}
