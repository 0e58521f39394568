package gcra

import (
	"fmt"
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

const (
	second = int64(time.Second)
	epoch  = 1_790_000_000 * second // an ordinary now
)

func quota(t testing.TB, maxBurst, count, period int64) Quota {
	t.Helper()
	q, err := NewQuota(maxBurst, count, period)
	require.NoError(t, err)
	return q
}

// bucket is the state of one key as a caller keeps it: the TAT, or 0 when the quota is full.
type bucket struct{ tat int64 }

func (b *bucket) take(t testing.TB, q Quota, now, quantity int64) Decision {
	t.Helper()
	d, err := q.Decide(b.tat, now, quantity)
	require.NoError(t, err)
	if d.Changed {
		b.tat = d.TAT
		if d.TAT <= now {
			b.tat = 0
		}
	}
	return d
}

// A burst of five and one request a second, as in the tests of throttled and redis-cell.
func TestDecideStory(t *testing.T) {
	const ms = second / 1000
	story := []struct {
		at, quantity            int64
		limited                 bool
		remaining, reset, retry int64
	}{
		{0, 6, true, 5, 0, -1}, // more than a burst: never
		{0, 1, false, 4, 1000 * ms, -1},
		{0, 1, false, 3, 2000 * ms, -1},
		{0, 1, false, 2, 3000 * ms, -1},
		{0, 1, false, 1, 4000 * ms, -1},
		{0, 1, false, 0, 5000 * ms, -1},
		{0, 1, true, 0, 5000 * ms, 1000 * ms},
		{0, 5, true, 0, 5000 * ms, 5000 * ms},
		{3000 * ms, 1, false, 2, 3000 * ms, -1},
		{3100 * ms, 1, false, 1, 3900 * ms, -1},
		{4000 * ms, 1, false, 1, 4000 * ms, -1},
		{8000 * ms, 1, false, 4, 1000 * ms, -1},
		{9500 * ms, 1, false, 4, 1000 * ms, -1},
		{9500 * ms, 0, false, 4, 1000 * ms, -1},
		{9500 * ms, 2, false, 2, 3000 * ms, -1},
		{9500 * ms, 5, true, 2, 3000 * ms, 3000 * ms},
		{9500 * ms, -1, false, 3, 2000 * ms, -1},
		{9500 * ms, -9, false, 5, 0, -1},
		{9500 * ms, -1, false, 5, 0, -1},
		{9500 * ms, 5, false, 0, 5000 * ms, -1},
		{15000 * ms, 6, true, 5, 0, -1}, // the stored TAT is stale by now
	}
	q, b := quota(t, 4, 1, 1), bucket{}
	for i, s := range story {
		t.Run(fmt.Sprintf("%d: %d at %dms", i, s.quantity, s.at/ms), func(t *testing.T) {
			d := b.take(t, q, epoch+s.at, s.quantity)
			got := []any{d.Limited, d.Limit, d.Remaining, d.ResetAfter, d.RetryAfter}
			require.Equal(t, []any{s.limited, int64(5), s.remaining, s.reset, s.retry}, got)
		})
	}
}

func TestDecideChanges(t *testing.T) {
	q := quota(t, 4, 1, 1)
	for _, c := range []struct {
		name          string
		tat, quantity int64
		changed       bool
		want          int64
	}{
		{"a fresh key takes", 0, 1, true, epoch + second},
		{"a stale TAT counts from now", epoch - 9, 1, true, epoch + second},
		{"a TAT of now counts from now", epoch, 1, true, epoch + second},
		{"a later TAT counts on", epoch + 7, 1, true, epoch + 7 + second},
		{"nothing asked of a fresh key", 0, 0, false, 0},
		{"nothing asked of a used key", epoch + 7, 0, false, epoch + 7},
		{"nothing asked of a stale key", epoch - 7, 0, false, epoch - 7},
		{"limited", epoch + 5*second, 1, false, epoch + 5*second},
		{"limited for ever", epoch - 3, 6, false, epoch - 3},
		{"refund", epoch + 3*second, -1, true, epoch + 2*second},
		{"refund of all", epoch + 3*second, -3, true, epoch},
		{"refund of more than all", epoch + 3*second, -4, true, epoch},
		{"refund to a key that owes more than this quota can", epoch + 60*second, -1, true, epoch + 59*second},
		{"refund to a fresh key", 0, -1, false, 0},
		{"refund to a stale key", epoch - 1, -1, false, epoch - 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			d, err := q.Decide(c.tat, epoch, c.quantity)
			require.NoError(t, err)
			require.Equal(t, c.changed, d.Changed)
			require.Equal(t, c.want, d.TAT)
		})
	}
}

// A quota that became stricter also limits a quantity of 0, and reports nothing beyond its own limit.
func TestDecideQuotaChanges(t *testing.T) {
	b := bucket{}
	b.take(t, quota(t, 99, 1, 1), epoch, 50)
	d := b.take(t, quota(t, 9, 1, 1), epoch, 0)
	require.Equal(t, Decision{Limited: true, TAT: b.tat, Limit: 10,
		RetryAfter: 40 * second, ResetAfter: 50 * second}, d)
	d = b.take(t, quota(t, 9, 1, 1), epoch, -1)
	require.False(t, d.Limited, "a refund passes even where a request would not")
	require.Zero(t, d.Remaining)
}

func TestDecideEdges(t *testing.T) {
	const lowest, greatest = math.MinInt64, math.MaxInt64
	perSecond, widest := quota(t, 4, 1, 1), quota(t, 0, 1, 9223372036)
	for _, c := range []struct {
		name               string
		q                  Quota
		tat, now, quantity int64
		want               Decision
	}{
		{"the lowest TAT is stale", perSecond, lowest, epoch, 1,
			Decision{Changed: true, TAT: epoch + second, Limit: 5, Remaining: 4, RetryAfter: -1, ResetAfter: second}},
		{"a hostile TAT limits for long", perSecond, greatest - second, epoch, 1,
			Decision{Limited: true, TAT: greatest - second, Limit: 5, RetryAfter: greatest - 5*second - epoch, ResetAfter: greatest - second - epoch}},
		{"and is looked at", perSecond, greatest, epoch, 0,
			Decision{Limited: true, TAT: greatest, Limit: 5, RetryAfter: greatest - 5*second - epoch, ResetAfter: greatest - epoch}},
		{"and can be refunded", perSecond, greatest, epoch, -1,
			Decision{Changed: true, TAT: greatest - second, Limit: 5, RetryAfter: -1, ResetAfter: greatest - second - epoch}},
		{"durations saturate", perSecond, greatest, lowest, 0,
			Decision{Limited: true, TAT: greatest, Limit: 5, RetryAfter: greatest, ResetAfter: greatest}},
		{"the lowest now", perSecond, 0, lowest, 1,
			Decision{Changed: true, TAT: lowest + second, Limit: 5, Remaining: 4, RetryAfter: -1, ResetAfter: second}},
		{"the lowest now, refunded below int64", perSecond, lowest + second, lowest, -9,
			Decision{Changed: true, TAT: lowest, Limit: 5, Remaining: 5, RetryAfter: -1}},
		{"a clock of 0", perSecond, 0, 0, 1,
			Decision{Changed: true, TAT: second, Limit: 5, Remaining: 4, RetryAfter: -1, ResetAfter: second}},
		{"a clock below 0", perSecond, -second, -2 * second, 1,
			Decision{Changed: true, TAT: 0, Limit: 5, Remaining: 3, RetryAfter: -1, ResetAfter: 2 * second}},
		{"0 is no TAT even below 0", perSecond, 0, -2 * second, 0,
			Decision{Limit: 5, Remaining: 5, RetryAfter: -1}},
		{"the greatest now, nothing asked", perSecond, 0, greatest, 0,
			Decision{Limit: 5, Remaining: 5, RetryAfter: -1}},
		{"the longest interval", widest, 0, 0, 1,
			Decision{Changed: true, TAT: 9223372036 * second, Limit: 1, RetryAfter: -1, ResetAfter: 9223372036 * second}},
	} {
		t.Run(c.name, func(t *testing.T) {
			d, err := c.q.Decide(c.tat, c.now, c.quantity)
			require.NoError(t, err)
			require.Equal(t, c.want, d)
		})
	}
}

func TestDecideErrors(t *testing.T) {
	const lowest, greatest = math.MinInt64, math.MaxInt64
	perSecond := quota(t, 4, 1, 1)
	for _, c := range []struct {
		name               string
		q                  Quota
		tat, now, quantity int64
		want               error
	}{
		{"quantity beyond int64", perSecond, 0, epoch, greatest, errQuantityOutOfRange},
		{"just beyond", perSecond, 0, 0, 9223372037, errQuantityOutOfRange},
		{"refund beyond int64", perSecond, epoch + second, epoch, lowest, errQuantityOutOfRange},
		{"TAT beyond int64", perSecond, 0, epoch, 9223372036, errQuantityTooFar},
		{"stored TAT at the edge", perSecond, greatest, epoch, 1, errQuantityTooFar},
		{"now at the edge", perSecond, 0, greatest, 1, errQuantityTooFar},
		{"period beyond the year 2262", quota(t, 0, 1, 9223372036), 0, epoch, 1, errQuantityTooFar},
		{"the zero Quota", Quota{}, 0, epoch, 1, ErrZeroRate},
	} {
		t.Run(c.name, func(t *testing.T) {
			d, err := c.q.Decide(c.tat, c.now, c.quantity)
			require.ErrorIs(t, err, c.want)
			require.Zero(t, d)
		})
	}
}

func TestDecideAllocatesNothing(t *testing.T) {
	require.Zero(t, testing.AllocsPerRun(100, func() {
		q, _ := NewQuota(4, 1, 1)
		_, _ = q.Decide(epoch, epoch, 1)
		_, _ = q.Decide(epoch, epoch, math.MaxInt64)
		_, _ = NewQuota(-1, 1, 1)
	}))
}
