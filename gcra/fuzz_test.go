package gcra

import (
	"math"
	"math/big"
	"testing"

	"github.com/stretchr/testify/require"
)

func FuzzNewQuota(f *testing.F) {
	for _, s := range [][3]int64{
		{0, 1, 1}, {15, 30, 60}, {0, 1, 9223372036}, {0, 1, 9223372037}, {4, 1e9, 1}, {4, 1e9 + 1, 1},
		{math.MaxInt64, 1, 1}, {math.MaxInt64 - 1, 1e9, 1}, {-1, 1, 1}, {1, -1, 1}, {1, 1, -1}, {-1, 0, 0},
	} {
		f.Add(s[0], s[1], s[2])
	}
	f.Fuzz(func(t *testing.T, maxBurst, count, period int64) {
		checkNewQuota(t, maxBurst, count, period)
	})
}

// checkNewQuota compares NewQuota with the model. ok reports whether both made a quota.
func checkNewQuota(t testing.TB, maxBurst, count, period int64) (q Quota, model modelQuota, ok bool) {
	t.Helper()
	model, wantErr := modelNewQuota(maxBurst, count, period)
	q, err := NewQuota(maxBurst, count, period)
	if wantErr != nil {
		require.Equal(t, wantErr, err, "NewQuota(%d, %d, %d)", maxBurst, count, period)
		require.Zero(t, q)
		return q, model, false
	}
	require.NoError(t, err)
	want := Quota{model.interval.Int64(), model.tolerance.Int64(), model.limit.Int64()}
	require.Equal(t, want, q, "NewQuota(%d, %d, %d)", maxBurst, count, period)
	return q, model, true
}

func FuzzDecide(f *testing.F) {
	for _, s := range [][6]int64{
		{4, 1, 1, 0, epoch, 1},
		{4, 1, 1, epoch + 5*second, epoch, 1},
		{4, 1, 1, epoch + 5*second, epoch, -2},
		{4, 1, 1, math.MaxInt64, epoch, 1},
		{4, 1, 1, math.MaxInt64, math.MinInt64, 0},
		{4, 1, 1, math.MinInt64 + 1, math.MinInt64, -9},
		{0, 1, 9223372036, 0, epoch, 1},
		{math.MaxInt64 - 1, 1e9, 1, math.MaxInt64, -1, 0},
		{4, 3, 7, epoch + 3, epoch, math.MinInt64},
	} {
		f.Add(s[0], s[1], s[2], s[3], s[4], s[5])
	}
	f.Fuzz(func(t *testing.T, maxBurst, count, period, tat, now, quantity int64) {
		if q, model, ok := checkNewQuota(t, maxBurst, count, period); ok {
			checkDecide(t, q, model, tat, now, quantity)
		}
	})
}

// checkDecide compares Decide with the model, and checks what holds for every decision.
func checkDecide(t testing.TB, q Quota, model modelQuota, tat, now, quantity int64) {
	t.Helper()
	want, wantErr := model.decide(tat, now, quantity)
	d, err := q.Decide(tat, now, quantity)
	require.Equal(t, wantErr, err, "%+v.Decide(%d, %d, %d)", q, tat, now, quantity)
	require.Equal(t, want, d, "%+v.Decide(%d, %d, %d)", q, tat, now, quantity)
	if err != nil {
		return
	}
	require.True(t, 0 <= d.Remaining && d.Remaining <= d.Limit, "%+v", d)
	require.GreaterOrEqual(t, d.ResetAfter, int64(0))
	require.False(t, d.Limited && d.Changed, "limited must write nothing")
	require.False(t, quantity == 0 && d.Changed, "a look must write nothing")
	require.False(t, d.Changed && d.TAT < now, "full is now, not earlier")
	if d.RetryAfter >= 0 {
		checkRetry(t, q, d, tat, now, quantity)
	}
}

// checkRetry checks that the request passes after RetryAfter, and not a nanosecond earlier.
func checkRetry(t testing.TB, q Quota, d Decision, tat, now, quantity int64) {
	t.Helper()
	require.True(t, d.Limited && d.RetryAfter > 0, "%+v", d)
	if d.RetryAfter == math.MaxInt64 {
		return // saturated: the true wait is longer than can be said
	}
	then := new(big.Int).Add(big.NewInt(now), big.NewInt(d.RetryAfter))
	require.True(t, then.IsInt64(), "the wait ends within int64")
	late, err := q.Decide(tat, then.Int64(), quantity)
	require.NoError(t, err)
	require.False(t, late.Limited, "%+v.Decide(%d, %d, %d) after %d", q, tat, now, quantity, d.RetryAfter)
	early, err := q.Decide(tat, then.Int64()-1, quantity)
	require.NoError(t, err)
	require.True(t, early.Limited && early.RetryAfter == 1, "%+v", early)
}
