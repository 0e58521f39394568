package gcra

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestLease: 5 at once and one a second. A lease of one second counts as if all came at its end.
func TestLease(t *testing.T) {
	q := quota(t, 4, 1, 1)
	granted, d, err := q.Lease(0, epoch, second, 3)
	require.NoError(t, err)
	require.EqualValues(t, 3, granted)
	require.Equal(t, Decision{Changed: true, TAT: epoch + 4*second, Limit: 5, Remaining: 1, RetryAfter: -1, ResetAfter: 4 * second}, d)
	granted, d, _ = q.Lease(d.TAT, epoch, second, 3)
	require.EqualValues(t, 1, granted, "as many as there is room for")
	granted, d, _ = q.Lease(d.TAT, epoch+second/2, second, 3)
	require.Zero(t, granted)
	require.Equal(t, Decision{Limited: true, TAT: epoch + 5*second, Limit: 5, RetryAfter: second / 2, ResetAfter: 9 * second / 2}, d)
	granted, d, _ = q.Lease(d.TAT, epoch+second, second, 0)
	require.Zero(t, granted)
	require.False(t, d.Limited, "nothing was wanted")

	_, d, _ = quota(t, 0, 1, 1).Lease(0, epoch, 1, 1)
	require.Equal(t, Decision{Limited: true, Limit: 1, Remaining: 1, RetryAfter: -1}, d, "a limit of 1 can never be leased")
	_, _, err = Quota{}.Lease(0, epoch, 1, 1)
	require.ErrorIs(t, err, ErrZeroRate)
	for _, now := range []int64{math.MinInt64, -1, 0, math.MaxInt64 - 1, math.MaxInt64} {
		for _, tat := range []int64{math.MinInt64, -1, 0, 1, math.MaxInt64} {
			granted, d, err = q.Lease(tat, now, 60*second, math.MaxInt64)
			require.NoError(t, err)
			require.True(t, 0 <= granted && granted <= 5 && d.ResetAfter >= 0 && d.Remaining >= 0, "%d, %d: %+v", tat, now, d)
		}
	}
}

// world is a random life of one key. Several holders lease requests, and spend them late. Other clients ask
// directly. It keeps when each request was spent.
type world struct {
	*rand.Rand
	q      Quota
	tat    int64
	now    int64
	leases []held
	spent  []int64

	bait
}

// bait is a fault that a world may have.
type bait int

const (
	noBait    bait = iota
	unstamped      // a lease counts at its grant
	ageless        // a return gives all back
	unequal        // a return forgets that others hold longer leases
)

// held is what a holder has of a lease.
type held struct{ at, end, left int64 }

// live runs a world. Each lease ends by the clock of its holder, which may be slow by 1/2000.
func (w *world) live(t *testing.T) {
	step := 1 + w.Int64N(w.q.tolerance/4+1)
	for range 12 + w.IntN(30) {
		w.now += w.Int64N(step + 1)
		switch w.IntN(4) {
		case 0:
			look, _ := w.q.Decide(w.tat, w.now, 0)
			if d, err := w.q.Decide(w.tat, w.now, max(1, look.Remaining-w.Int64N(2))); err == nil && d.Changed {
				for n := (d.TAT - max(w.tat, w.now)) / w.q.interval; n > 0; n-- {
					w.spent = append(w.spent, w.now)
				}
				w.tat = d.TAT
			}
		case 1, 2:
			w.lease(t)
		default:
			w.spendAll(true)
		}
	}
	w.now += w.q.tolerance
	w.spendAll(false)
}

// lease takes a lease. Its grant may be lost on the way to the holder.
func (w *world) lease(t *testing.T) {
	length := w.q.LongestLease() - w.Int64N(w.q.LongestLease()+1)*w.Int64N(2)
	stamp := length
	if w.bait == unstamped {
		stamp = 0
	}
	granted, d, err := w.q.Lease(w.tat, w.now, stamp, 1+w.Int64N(w.q.limit))
	require.NoError(t, err)
	if d.Changed {
		w.tat = d.TAT
	}
	if granted > 0 && w.IntN(10) > 0 {
		w.leases = append(w.leases, held{w.now, w.now + length, granted})
	}
}

// spendAll lets each holder spend some of its lease, at a time between the last event and now, or give the
// rest back.
func (w *world) spendAll(mayReturn bool) {
	left := w.leases[:0]
	for _, l := range w.leases {
		at := min(l.end, w.now)
		if w.now >= l.end || w.IntN(4) == 0 {
			for n := l.left - w.Int64N(l.left+1)*w.Int64N(2); n > 0; n-- {
				w.spent = append(w.spent, at)
				l.left--
			}
		}
		switch {
		case mayReturn && l.left > 0 && w.now < l.end && w.IntN(3) == 0:
			w.giveBack(l)
		case w.now < l.end && l.left > 0:
			left = append(left, l)
		}
	}
	w.leases = left
}

// giveBack returns what is left of a lease.
func (w *world) giveBack(l held) {
	from := GivenBack(l.at, l.end-l.at)
	switch w.bait {
	case ageless:
		from = w.now
	case unequal:
		from = l.at
	}
	if tat, err := Settle(w.tat, w.now, w.q.interval, from, l.left, 0); err == nil {
		w.tat = tat
	}
}

// breaks reports whether a window admits more than the limit and what comes back in it.
func (w *world) breaks() bool {
	slices.Sort(w.spent)
	for i, from := range w.spent {
		for j := i; j < len(w.spent); j++ {
			if int64(j-i+1)*w.q.interval > w.q.tolerance+w.spent[j]-from {
				return true
			}
		}
	}
	return false
}

// TestLeasesKeepTheLimit: no world of leases, lost grants, returns and direct requests admits more in any
// window than the quota. Each bait is found.
func TestLeasesKeepTheLimit(t *testing.T) {
	r := seeded(t)
	broken := func(b bait) bool {
		q := Quota{interval: 1 + r.Int64N(20)}
		q.limit = 2 + r.Int64N(12)
		q.tolerance = q.limit * q.interval
		w := &world{Rand: r, q: q, now: 1000, bait: b}
		w.live(t)
		return w.breaks()
	}
	worlds := 1_000_000
	if testing.Short() {
		worlds = 50_000
	}
	for range worlds {
		require.False(t, broken(noBait))
	}
	for b := unstamped; b <= unequal; b++ {
		found := false
		for i := 0; i < 400_000 && !found; i++ {
			found = broken(b)
		}
		require.True(t, found, "bait %d", b)
	}
}

// TestLeasesOfTwoQuotas: a short lease whose units come back takes nothing from a longer lease of another quota with the same key.
func TestLeasesOfTwoQuotas(t *testing.T) {
	short, err := NewQuotaIn(99, 100, 100e6) // a lease lasts for 25 ms
	require.NoError(t, err)
	long, err := NewQuotaIn(3999, 4000, 4000e6) // a lease lasts for 1 s
	require.NoError(t, err)
	const begin = int64(1e15)
	granted, d, err := short.Lease(0, begin, short.LongestLease(), 70)
	require.NoError(t, err)
	require.EqualValues(t, 70, granted)
	leased, d, err := long.Lease(d.TAT, begin+1e6, long.LongestLease(), 60)
	require.NoError(t, err)
	tat, err := Settle(d.TAT, begin+2e6, short.Interval(), GivenBack(begin, short.LongestLease()), granted, 0)
	require.NoError(t, err)
	direct, d, err := long.Lease(tat, begin+1001e6, 0, 4001) // once those of the lease are spent, at its end
	require.NoError(t, err)
	require.LessOrEqual(t, leased+direct, long.Limit()+1, "in one millisecond, in which one unit comes back")
	require.False(t, d.Limited)
}
