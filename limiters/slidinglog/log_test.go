package slidinglog

import (
	"math"
	"math/rand/v2"
	"testing"

	"cellserver/internal/randtest"

	"github.com/stretchr/testify/require"
)

const (
	second = 1_000_000_000
	epoch  = 1_790_000_000 * second
)

// seeded returns a generator. It prints its seed; the variable SEED sets it.
func seeded(t *testing.T) *rand.Rand {
	t.Helper()
	return rand.New(randtest.Source(t))
}

// kept is a log in memory.
type kept []Entry

func (k kept) Len() int       { return len(k) }
func (k kept) At(i int) Entry { return k[i] }

func (k kept) Range(from, to int, f func(Entry) bool) {
	for ; from < to && f(k[from]); from++ {
	}
}

// apply changes the log as a caller does after a decision.
func (k kept) apply(d Decision, now int64) kept {
	next := append(kept{}, k...)
	if !d.Changed {
		return next
	}
	add := Entry{Time: now, Count: d.Add, Shared: true}
	if d.Join {
		add.Count += next[len(next)-1].Count
		next = next[:len(next)-1]
	}
	next = next[d.Forget:]
	if d.Shared {
		return append(next, add)
	}
	for range d.Add {
		next = append(next, Entry{Time: now, Count: 1})
	}
	return next
}

// admitted are the requests that passed, with their times.
type admitted struct{ at, quantity int64 }

// within returns the sum of the requests that passed after from, up to to.
func within(all []admitted, from, to int64) (sum int64) {
	for _, a := range all {
		if a.at > from && a.at <= to {
			sum += a.quantity
		}
	}
	return sum
}

// TestResolution checks a log in buckets. It never lets more than its limit pass in any period. It refuses only
// requests that an exact log with a longer period, by one resolution, might refuse.
func TestResolution(t *testing.T) {
	r := seeded(t)
	for range 300 {
		limit, period := 1+r.Int64N(20), 1+r.Int64N(100*second)
		l, err := New(limit, period, Options{Resolution: 1 + r.Int64N(period)})
		require.NoError(t, err)
		var log kept
		var all []admitted
		now := int64(epoch) + r.Int64N(second)
		for range 100 {
			now += r.Int64N(period/limit+1) * r.Int64N(3)
			quantity := r.Int64N(min(limit, 4) + 1)
			d, err := Decide(l, log, now, quantity)
			require.NoError(t, err)
			used := within(all, now-period, now)
			longer := within(all, now-period-l.Resolution, now)
			require.False(t, !d.Limited && used+quantity > limit, "more than the limit in a period")
			require.False(t, d.Limited && longer+quantity <= limit, "refused though there is room: %+v", d)
			require.True(t, limit-longer <= d.Remaining || !d.Limited)
			if d.Limited {
				checkRetry(t, l, log, d, now, quantity)
			}
			log = log.apply(d, now)
			if d.Changed {
				all = append(all, admitted{now, quantity})
				require.LessOrEqual(t, int64(len(log)), period/l.Resolution+3)
			}
		}
	}
}

// checkRetry checks that the request passes after the wait, and not a nanosecond earlier.
func checkRetry(t *testing.T, l Log, log kept, d Decision, now, quantity int64) {
	t.Helper()
	require.Equal(t, quantity <= l.limit, d.RetryAfter != never, "%+v", d)
	if d.RetryAfter == never || d.RetryAfter == math.MaxInt64 || now > math.MaxInt64-d.RetryAfter-l.period {
		return
	}
	require.Positive(t, d.RetryAfter)
	after := log.apply(d, now)
	late, err := Decide(l, after, now+d.RetryAfter, quantity)
	require.NoError(t, err)
	require.False(t, late.Limited, "after the wait: %+v", d)
	early, err := Decide(l, after, now+d.RetryAfter-1, quantity)
	require.NoError(t, err)
	require.True(t, early.Limited, "a nanosecond early: %+v", d)
}

// TestMixedLog checks that a log counts all entries when its resolution changes.
func TestMixedLog(t *testing.T) {
	r := seeded(t)
	for range 200 {
		limit, period := 1+r.Int64N(20), 1+r.Int64N(100*second)
		var log kept
		var all []admitted
		now := int64(epoch)
		for range 100 {
			now += r.Int64N(period/limit+1) * r.Int64N(3)
			quantity := 1 + r.Int64N(3)
			l, err := New(limit, period, Options{Resolution: r.Int64N(2) * (1 + r.Int64N(period))})
			require.NoError(t, err)
			d, err := Decide(l, log, now, quantity)
			require.NoError(t, err)
			if log = log.apply(d, now); d.Changed {
				all = append(all, admitted{now, quantity})
			}
			require.LessOrEqual(t, within(all, now-period, now), limit)
			for i := 1; i < len(log); i++ {
				require.False(t, log[i-1].Shared && !log[i].Shared, "shared entries come last")
			}
		}
	}
}

// TestStrictLogIsBounded checks that a strict log keeps at most limit requests, and that its answers are true.
func TestStrictLogIsBounded(t *testing.T) {
	r := seeded(t)
	for range 200 {
		limit, period := 1+r.Int64N(20), 1+r.Int64N(100*second)
		l, err := New(limit, period, Options{Strict: true, Gap: r.Int64N(2) * (1 + r.Int64N(period)), Resolution: r.Int64N(2) * (1 + r.Int64N(period))})
		require.NoError(t, err)
		var log kept
		now := int64(epoch)
		for range 100 {
			now += r.Int64N(period/limit+1) * r.Int64N(3)
			quantity := r.Int64N(2*limit + 1)
			d, err := Decide(l, log, now, quantity)
			require.NoError(t, err)
			if d.Limited {
				checkRetry(t, l, log, d, now, quantity)
			}
			log = log.apply(d, now)
			if l.Resolution == 0 {
				require.LessOrEqual(t, int64(len(log)), limit)
			}
		}
	}
}

func TestNew(t *testing.T) {
	for _, c := range []struct {
		limit, period int64
		o             Options
		want          error
	}{
		{1, 1, Options{}, nil},
		{1, 5, Options{Gap: 5, Resolution: 5, Strict: true}, nil},
		{0, 1, Options{}, nil},
		{-1, 1, Options{}, errLimit},
		{1, 0, Options{}, errPeriod},
		{1, 5, Options{Gap: 6}, errGap},
		{1, 5, Options{Gap: -1}, errGap},
		{1, 5, Options{Resolution: 6}, errResolution},
		{1, 5, Options{Resolution: -1}, errResolution},
	} {
		_, err := New(c.limit, c.period, c.o)
		require.Equal(t, c.want, err, "%+v", c)
	}
}

// FuzzDecide checks what holds for every decision about every log.
func FuzzDecide(f *testing.F) {
	f.Add(int64(3), int64(60*second), int64(0), int64(0), false, int64(epoch), int64(1), []byte{1, 2, 3})
	f.Add(int64(3), int64(60*second), int64(second), int64(2*second), true, int64(epoch), int64(2), []byte{0, 200, 3, 255})
	f.Add(int64(math.MaxInt64), int64(math.MaxInt64), int64(0), int64(0), true, int64(-5), int64(math.MaxInt64), []byte{9})
	f.Fuzz(func(t *testing.T, limit, period, gap, resolution int64, strict bool, now, quantity int64, ages []byte) {
		l, err := New(limit, period, Options{Gap: gap, Resolution: resolution, Strict: strict})
		if err != nil || now < 0 {
			return
		}
		var log kept
		for i, age := range ages {
			e := Entry{Time: max(now/255*int64(age), 0), Count: 1, Shared: i > 2}
			if e.Shared {
				e.Count += int64(age)
			}
			if len(log) == 0 || log[len(log)-1].Time < e.Time {
				log = append(log, e)
			}
		}
		d, err := Decide(l, log, now, quantity)
		if err != nil {
			return
		}
		require.True(t, 0 <= d.Remaining && d.Remaining <= limit && d.ResetAfter >= 0 && 0 <= d.Forget && d.Forget <= len(log), "%+v", d)
		require.Equal(t, d.Changed, quantity > 0 && (!d.Limited || strict && limit > 0)) // a limit of 0 keeps no log
		if d.Limited && d.Add < 1000 {
			checkRetry(t, l, log, d, now, quantity)
		}
	})
}
