package gcra

import (
	"math"
	"math/big"
	"testing"

	"github.com/stretchr/testify/require"
)

// charge is [Quota.Charge] in integers of any size.
func (q modelQuota) charge(tat, now, quantity int64) (Decision, error) {
	if _, err := q.decide(tat, now, quantity); err != nil {
		return Decision{}, err
	}
	start := n(now)
	if tat > now && tat != 0 {
		start = n(tat)
	}
	next := new(big.Int).Mul(n(quantity), q.interval)
	if next.Add(next, start); next.Cmp(n(now)) < 0 {
		next = n(now)
	}
	d := Decision{TAT: tat, Limit: q.limit.Int64(), RetryAfter: -1}
	if next.Cmp(start) != 0 {
		d.TAT, d.Changed = next.Int64(), true
	}
	reset := new(big.Int).Sub(next, n(now))
	if debt := new(big.Int).Sub(reset, q.tolerance); debt.Sign() > 0 {
		d.Limited, d.RetryAfter = true, saturated(debt)
	}
	d.ResetAfter = saturated(reset)
	left := new(big.Int).Sub(q.tolerance, n(d.ResetAfter))
	d.Remaining = new(big.Int).Div(left, q.interval).Int64() // Div rounds down
	return d, nil
}

// TestChargeIntoDebt charges 12 requests at once to a quota of 4 a second, which leaves -8.
func TestChargeIntoDebt(t *testing.T) {
	q := quota(t, 3, 4, 1)
	d, err := q.Charge(0, epoch, 12)
	require.NoError(t, err)
	require.Equal(t, Decision{Limited: true, Changed: true, TAT: epoch + 3*second, Limit: 4, Remaining: -8, RetryAfter: 2 * second, ResetAfter: 3 * second}, d)
	d, err = q.Decide(d.TAT, epoch+2*second-1, 0)
	require.NoError(t, err)
	require.True(t, d.Limited)
	d, err = q.Decide(d.TAT, epoch+2*second, 0)
	require.NoError(t, err)
	require.False(t, d.Limited)
}

func TestChargeAsTheModel(t *testing.T) {
	r := seeded(t)
	for range 30_000 {
		q, model, ok := checkNewQuota(t, r.Int64N(100), 1+r.Int64N(1000), 1+r.Int64N(100))
		if !ok {
			continue
		}
		checkCharge(t, q, model, anyInt(r), anyInt(r), anyInt(r))
		checkCharge(t, q, model, epoch+r.Int64N(3*q.tolerance)-q.tolerance, epoch, r.Int64N(3*q.limit)-q.limit)
	}
}

func checkCharge(t *testing.T, q Quota, model modelQuota, tat, now, quantity int64) {
	t.Helper()
	want, wantErr := model.charge(tat, now, quantity)
	d, err := q.Charge(tat, now, quantity)
	require.Equal(t, wantErr, err, "%+v.Charge(%d, %d, %d)", q, tat, now, quantity)
	require.Equal(t, want, d, "%+v.Charge(%d, %d, %d)", q, tat, now, quantity)
	if d.Limited && d.RetryAfter < math.MaxInt64 && now <= math.MaxInt64-d.RetryAfter {
		paid, err := q.Charge(d.TAT, now+d.RetryAfter, 0)
		require.NoError(t, err)
		require.False(t, paid.Limited || paid.Remaining < 0)
		owed, err := q.Charge(d.TAT, now+d.RetryAfter-1, 0)
		require.NoError(t, err)
		require.True(t, owed.Limited && owed.Remaining < 0)
	}
}

func TestNewQuotaIn(t *testing.T) {
	const greatest = math.MaxInt64
	for _, c := range []struct {
		maxBurst, count, period int64
		want                    error
	}{
		{4, 3, second / 4, nil},
		{0, greatest, greatest, nil},
		{4, 0, second, errCount},
		{4, -1, second, errCount},
		{4, 1, 0, errPeriod},
		{4, 1, -1, errPeriod},
		{4, second + 1, second, errCountTooLarge},
		{-1, 1, second, errNegativeMaxBurst},
		{greatest, 1, 1, errMaxBurstTooLarge},
		{2, 1, greatest / 2, errMaxBurstTooLarge},
	} {
		q, err := NewQuotaIn(c.maxBurst, c.count, c.period)
		require.Equal(t, c.want, err, "%+v", c)
		if err == nil {
			require.Equal(t, Quota{c.period / c.count, c.period / c.count * (c.maxBurst + 1), c.maxBurst + 1}, q)
		}
	}
}
