package lease

import (
	"cmp"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"cellserver/internal/randtest"

	"github.com/stretchr/testify/require"
)

const (
	second = 1_000_000_000
	epoch  = 1_790_000_000*second + 123_456_789
)

// ends are leases in memory, in order.
type ends []int64

func (e ends) Len() int        { return len(e) }
func (e ends) End(i int) int64 { return e[i] }

// desk is a naive model of a semaphore: each holder with the end of its lease.
type desk map[string]int64

// held returns the holders in the order of the ends of their leases.
func (d desk) held() []string {
	return slices.SortedFunc(maps.Keys(d), func(a, b string) int { return cmp.Or(cmp.Compare(d[a], d[b]), cmp.Compare(a, b)) })
}

// active returns the number of permits in use at a time.
func (d desk) active(at int64) (n int64) {
	for _, end := range d {
		if end > at {
			n++
		}
	}
	return n
}

// TestAcquireAsTheModel compares with the model while holders come, leave, renew and crash. At most limit holders have
// a lease at any time, and the numbers of every decision are true.
func TestAcquireAsTheModel(t *testing.T) {
	r := rand.New(randtest.Source(t))
	for range 300 {
		d, limit, now := desk{}, 1+r.Int64N(5), int64(epoch)
		for range 100 {
			now += r.Int64N(20*second) * r.Int64N(2)
			holder := string(rune('a' + r.IntN(8)))
			if r.IntN(5) == 0 {
				delete(d, holder) // gives it back
				continue
			}
			s, err := New(limit, microsecond+r.Int64N(30*second))
			require.NoError(t, err)
			order := d.held()
			all := ends{}
			for _, name := range order {
				all = append(all, d[name])
			}
			mine := slices.Index(order, holder)
			a, err := Acquire(s, all, mine, now)
			require.NoError(t, err)

			renews := d[holder] > now
			require.Equal(t, !renews && d.active(now) >= limit, a.Limited)
			if a.Limited {
				require.Less(t, d.active(now+a.RetryAfter), limit)
				require.GreaterOrEqual(t, d.active(now+a.RetryAfter-1), limit)
			} else {
				require.EqualValues(t, never, a.RetryAfter)
				require.True(t, a.End > now && a.End <= now+s.lease && a.End > now+s.lease-microsecond)
				for _, name := range order[:a.Ended] {
					require.LessOrEqual(t, d[name], now)
					delete(d, name)
				}
				d[holder] = a.End
				require.LessOrEqual(t, d.active(now), limit)
				require.EqualValues(t, d.active(now), len(d), "what has ended is forgotten")
			}
			require.Equal(t, limit-d.active(now), a.Remaining)
			require.Zero(t, d.active(now+a.ResetAfter))
			require.NotZero(t, d.active(now+a.ResetAfter-1))
		}
	}
}

// TestLowerLimit lowers the limit: present holders keep their leases, and no holder gets one until enough have left.
func TestLowerLimit(t *testing.T) {
	s, err := New(1, second)
	require.NoError(t, err)
	d, err := Acquire(s, ends{epoch + 1, epoch + 2, epoch + 3}, Nobody, epoch)
	require.NoError(t, err)
	require.Equal(t, Decision{Limited: true, Limit: 1, RetryAfter: 3, ResetAfter: 3}, d)
	d, err = Acquire(s, ends{epoch + 1, epoch + 2, epoch + 3}, 1, epoch)
	require.NoError(t, err)
	require.False(t, d.Limited)
	require.Zero(t, d.Remaining)
}

func TestNew(t *testing.T) {
	for _, c := range []struct {
		limit, lease int64
		want         error
	}{
		{1, microsecond, nil}, {math.MaxInt64, math.MaxInt64, nil}, {0, second, errLimit}, {-1, second, errLimit},
		{1, microsecond - 1, errLease}, {1, 0, errLease}, {1, -second, errLease},
	} {
		_, err := New(c.limit, c.lease)
		require.Equal(t, c.want, err, "%+v", c)
	}
	s, err := New(1, math.MaxInt64)
	require.NoError(t, err)
	_, err = Acquire(s, ends{}, Nobody, 1)
	require.Equal(t, errTooFar, err)
}

// FuzzAcquire checks what holds for every decision.
func FuzzAcquire(f *testing.F) {
	f.Add(int64(2), int64(second), int64(epoch), []byte{1, 2, 3}, 1)
	f.Add(int64(math.MaxInt64), int64(math.MaxInt64), int64(0), []byte{}, -1)
	f.Add(int64(1), int64(microsecond), int64(math.MaxInt64-microsecond), []byte{255, 255}, -7)
	f.Fuzz(func(t *testing.T, limit, length, now int64, ages []byte, mine int) {
		s, err := New(limit, length)
		if err != nil || now < 0 {
			return
		}
		var all ends
		for _, age := range ages {
			all = append(all, now/128*int64(age/2))
		}
		slices.Sort(all)
		mine = max(min(mine, len(all)-1), Nobody)
		d, err := Acquire(s, all, mine, now)
		if err != nil {
			return
		}
		require.True(t, 0 <= d.Ended && d.Ended <= len(all) && 0 <= d.Remaining && d.Remaining <= limit && d.ResetAfter > 0, "%+v", d)
		require.Equal(t, d.Limited, d.RetryAfter > 0)
		require.Equal(t, d.Limited, d.End == 0)
	})
}
