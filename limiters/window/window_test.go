package window

import (
	"math"
	"math/big"
	"testing"

	"github.com/stretchr/testify/require"
)

const (
	second = 1_000_000_000
	minute = 60 * second
	epoch  = 29_000_000 * minute // some full minute
)

// TestBoundary checks that around a boundary a fixed window lets twice its limit pass, and a sliding window does
// not.
func TestBoundary(t *testing.T) {
	const limit = 100
	times := []int64{epoch - second, epoch + second}
	fixed, err := NewFixed(limit, minute, true)
	require.NoError(t, err)
	sliding, err := NewSliding(limit, minute)
	require.NoError(t, err)
	var count Count
	var counts Counts
	var byFixed, bySliding int
	for _, now := range times {
		for range 2 * limit {
			d, c, err := fixed.Decide(count, now, 1)
			require.NoError(t, err)
			if d.Changed {
				byFixed++
				count = c
			}
			e, cs, err := sliding.Decide(counts, now, 1)
			require.NoError(t, err)
			if e.Changed {
				bySliding++
				counts = cs
			}
		}
	}
	require.Equal(t, 2*limit, byFixed)
	require.Equal(t, limit+2, bySliding, "at 1/60 of the minute 98.33 of the minute before count")
}

func TestNew(t *testing.T) {
	for _, c := range []struct {
		limit, period int64
		fixed, slides error
	}{
		{1, 1e6, nil, nil},
		{0, 1e6, nil, nil},
		{-1, 1e6, errLimit, errSlidingLimit},
		{MaxSliding, 1e6, nil, nil},
		{MaxSliding + 1, 1e6, nil, errSlidingLimit},
		{1, 0, errPeriod, errPeriod},
		{1, -1e6, errPeriod, errPeriod},
		{1, 1e6 + 1, errPeriod, errPeriod},
	} {
		_, err := NewFixed(c.limit, c.period, false)
		require.Equal(t, c.fixed, err, "%+v", c)
		_, err = NewSliding(c.limit, c.period)
		require.Equal(t, c.slides, err, "%+v", c)
	}
}

// checked checks what holds for every decision of both kinds of window. decide asks again later.
func checked(t *testing.T, d Decision, limit, now, quantity int64, decide func(now, quantity int64) Decision) {
	t.Helper()
	require.False(t, d.Limited && d.Changed, "limited must write nothing")
	require.Equal(t, d.Changed, !d.Limited && quantity > 0)
	require.Equal(t, limit, d.Limit)
	require.True(t, 0 <= d.Remaining && d.Remaining <= limit, "%+v", d)
	require.Equal(t, d.Limited && quantity <= limit, d.RetryAfter != never, "%+v", d)
	if d.RetryAfter != never && d.RetryAfter < math.MaxInt64 && now <= math.MaxInt64-d.RetryAfter {
		require.Positive(t, d.RetryAfter)
		require.False(t, decide(now+d.RetryAfter, quantity).Limited, "after the wait: %+v", d)
		require.True(t, decide(now+d.RetryAfter-1, quantity).Limited, "a nanosecond early: %+v", d)
	}
}

// FuzzFixed checks what holds for every decision.
func FuzzFixed(f *testing.F) {
	f.Add(int64(3), int64(60_000), true, int64(2), int64(epoch+minute), int64(epoch+1), int64(2))
	f.Add(int64(3), int64(60_000), false, int64(-5), int64(math.MaxInt64), int64(math.MinInt64), int64(1))
	f.Add(int64(math.MaxInt64), int64(1), false, int64(math.MaxInt64), int64(0), int64(-1), int64(math.MaxInt64))
	f.Fuzz(func(t *testing.T, limit, periodMS int64, aligned bool, used, end, now, quantity int64) {
		if limit <= 0 || periodMS <= 0 || periodMS > math.MaxInt64/millisecond {
			return
		}
		w, err := NewFixed(limit, periodMS*millisecond, aligned)
		require.NoError(t, err)
		c := Count{used, end}
		d, next, err := w.Decide(c, now, quantity)
		if err != nil {
			require.True(t, quantity < 0 || err == errTooLong)
			return
		}
		if d.Changed {
			require.True(t, next.Used <= limit && next.End > now, "%+v", next)
			require.True(t, now >= end || next.End == end, "a window lasts until its end")
			require.Equal(t, d.Remaining, limit-next.Used)
		}
		checked(t, d, limit, now, quantity, func(now, quantity int64) Decision {
			d, _, err := w.Decide(c, now, quantity)
			if err != nil {
				require.Equal(t, errTooLong, err)
				d.Limited = now < end
			}
			return d
		})
	})
}

// FuzzSliding compares the count with integers of any size, and checks what holds for every decision.
func FuzzSliding(f *testing.F) {
	f.Add(int64(7), int64(60_000), int64(3), int64(5), int64(0), int64(epoch+18*second), int64(1))
	f.Add(int64(50), int64(60_000), int64(18), int64(42), int64(0), int64(epoch+15*second), int64(1))
	f.Add(int64(MaxSliding), int64(1), int64(MaxSliding), int64(9e9), int64(1), int64(-1), int64(MaxSliding))
	f.Add(int64(1), int64(4611686018427), int64(1), int64(1), int64(-1), int64(0), int64(1))
	f.Add(int64(5), int64(1_000), int64(7), int64(2), int64(epoch+120*second), int64(epoch), int64(1))
	f.Add(int64(5), int64(1_700), int64(7), int64(2), int64(epoch+120*second), int64(epoch), int64(1))
	f.Add(int64(50), int64(60_000), int64(18), int64(42), int64(2), int64(epoch-1), int64(1))
	f.Add(int64(50), int64(60_000), int64(18), int64(2), int64(2), int64(epoch-second), int64(1))
	f.Fuzz(func(t *testing.T, limit, periodMS, current, previous, age, now, quantity int64) {
		if limit <= 0 || limit > MaxSliding || periodMS <= 0 || periodMS > math.MaxInt64/millisecond ||
			current < 0 || current > MaxSliding || previous < 0 || previous > 10*MaxSliding {
			return
		}
		w, err := NewSliding(limit, periodMS*millisecond)
		require.NoError(t, err)
		d, _, err := w.Decide(Counts{}, now, quantity)
		if err != nil {
			require.True(t, quantity < 0 || err == errTooLong)
			return
		}
		start, _ := floorTo(now, w.period)
		c := Counts{current, previous, start + 2*w.period}
		switch age {
		case 0:
		case 1:
			c.End -= w.period
		case 2: // a clock that is ahead has counted in the next window
			if c.End > math.MaxInt64-w.period {
				return
			}
			c.End += w.period
		default:
			c.End = age
		}
		d, next, err := w.Decide(c, now, quantity)
		require.NoError(t, err)
		if age == 0 || age == 1 {
			used := bigUsed(c, age, now, start+w.period, w.period)
			require.Equal(t, new(big.Int).Add(used, big.NewInt(quantity)).Cmp(big.NewInt(limit)) > 0, d.Limited, "%+v %v", d, used)
		}
		if d.Changed {
			kept := next.End == c.End && start+w.period-now <= lag
			require.True(t, (next.End == start+2*w.period || kept) && next.Current <= limit, "%+v", next)
		}
		if w.period > math.MaxInt64/4 || max(start, c.End) > math.MaxInt64-4*w.period {
			return // time ends before the wait does
		}
		checked(t, d, limit, now, quantity, func(now, quantity int64) Decision {
			d, _, err := w.Decide(c, now, quantity)
			require.NoError(t, err)
			return d
		})
	})
}

// bigUsed returns current + previous · overlap in integers of any size.
func bigUsed(c Counts, age, now, end, period int64) *big.Int {
	current, previous := c.Current, c.Previous
	if age == 1 {
		current, previous = 0, c.Current
	}
	used := new(big.Int).Sub(big.NewInt(end), big.NewInt(now))
	used.Mul(used, big.NewInt(previous))
	used.Div(used, big.NewInt(period))
	return used.Add(used, big.NewInt(current))
}

// TestRequestBehind: a request whose time is behind must not take a window that has begun for one of a longer
// period.
func TestRequestBehind(t *testing.T) {
	aligned, _ := NewFixed(100, minute, true)
	plain, _ := NewFixed(100, minute, false)
	sliding, _ := NewSliding(100, minute)
	for _, behind := range []int64{1, second, lag} {
		now := epoch - behind
		for _, f := range []Fixed{aligned, plain} {
			_, c, err := f.Decide(Count{}, epoch, 1)
			require.NoError(t, err)
			_, changed := f.Shorten(c, now)
			require.False(t, changed, "%d", behind)
		}
		_, c, err := sliding.Decide(Counts{}, epoch, 60)
		require.NoError(t, err)
		_, changed := sliding.Shorten(c, now)
		require.False(t, changed, "%d", behind)
		d, c, err := sliding.Decide(c, now, 1)
		require.NoError(t, err)
		require.True(t, d.Changed)
		d, _, err = sliding.Decide(c, epoch+minute-1, 40)
		require.NoError(t, err)
		require.True(t, d.Limited, "61 have passed in this window")
	}
	late := Count{100, epoch + minute + lag + 2*millisecond}
	short, changed := plain.Shorten(late, epoch)
	require.True(t, changed)
	require.Equal(t, Count{100, epoch + minute}, short)
}

func TestDecideAllocatesNothing(t *testing.T) {
	require.Zero(t, testing.AllocsPerRun(100, func() {
		f, _ := NewFixed(1, minute, true)
		_, _, _ = f.Decide(Count{1, epoch + 1}, epoch, 1)
		s, _ := NewSliding(7, minute)
		_, _, _ = s.Decide(Counts{3, 5, epoch + 2*minute}, epoch, 5)
	}))
}
