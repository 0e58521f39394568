package gcra

import (
	"math"
	"math/rand/v2"
	"testing"

	"cellserver/internal/randtest"

	"github.com/stretchr/testify/require"
)

// seeded returns a generator. It prints its seed; the variable SEED sets it.
func seeded(t *testing.T) *rand.Rand {
	t.Helper()
	return rand.New(randtest.Source(t))
}

// anyInt prefers integers where arithmetic fails: 0, powers of two and the ends of int64.
func anyInt(r *rand.Rand) int64 {
	v := int64(r.Uint64()) >> r.IntN(64)
	switch r.IntN(8) {
	case 0:
		return math.MaxInt64 - v&1023
	case 1:
		return math.MinInt64 + v&1023
	case 2:
		return v & 3
	}
	return v
}

func TestAnyInputAsTheModel(t *testing.T) {
	r, decided := seeded(t), 0
	for range 30_000 {
		maxBurst, count, period := anyInt(r), anyInt(r), anyInt(r)
		if r.IntN(4) > 0 {
			maxBurst, count, period = r.Int64N(100), 1+r.Int64N(1000), 1+r.Int64N(100)
		}
		q, model, ok := checkNewQuota(t, maxBurst, count, period)
		if !ok {
			continue
		}
		decided++
		checkDecide(t, q, model, anyInt(r), anyInt(r), anyInt(r))
		near := r.Int64N(2*min(q.tolerance, math.MaxInt64/4)+1) - q.interval/2
		checkDecide(t, q, model, epoch+near, epoch, r.Int64N(5)-2)
	}
	require.Greater(t, decided, 15_000)
}

// A random client uses one key: every step is as in the model. In no window of any length do more requests pass than
// a burst and those that came back meanwhile.
func TestWindowsNeverAdmitMore(t *testing.T) {
	r := seeded(t)
	for range 200 {
		maxBurst, count, period := r.Int64N(20), 1+r.Int64N(1000), 1+r.Int64N(60)
		q, model, ok := checkNewQuota(t, maxBurst, count, period)
		require.True(t, ok)
		var b bucket
		var at, admitted []int64
		now := epoch + r.Int64N(second)
		for range 100 {
			now += r.Int64N(2*q.interval) * r.Int64N(2)
			quantity := r.Int64N(min(q.limit, 4) + 1)
			checkDecide(t, q, model, b.tat, now, quantity)
			if d := b.take(t, q, now, quantity); !d.Limited {
				at, admitted = append(at, now), append(admitted, quantity)
			}
		}
		for i := range at {
			sum := int64(0)
			for j := i; j < len(at); j++ {
				sum += admitted[j]
				require.LessOrEqual(t, sum, q.limit+(at[j]-at[i])/q.interval, "from %d to %d", at[i], at[j])
			}
		}
	}
}

// A client that asks at every nanosecond gets every request that the quota allows.
func TestGreedyClientGetsEverything(t *testing.T) {
	r := seeded(t)
	for range 20 {
		q := quota(t, r.Int64N(10), 1+r.Int64N(1e8)+2e7, 1)
		var b bucket
		passed := int64(0)
		for elapsed := range int64(1000) {
			if !b.take(t, q, epoch+elapsed, 1).Limited {
				passed++
			}
			for !b.take(t, q, epoch+elapsed, 1).Limited {
				passed++
			}
			require.Equal(t, q.limit+elapsed/q.interval, passed, "after %d ns of %+v", elapsed, q)
		}
	}
}

// A refund of a request leaves the quota as it was before.
func TestRefundUndoes(t *testing.T) {
	r := seeded(t)
	for range 1000 {
		q := quota(t, r.Int64N(100), 1+r.Int64N(1000), 1+r.Int64N(60))
		b := bucket{epoch + r.Int64N(q.tolerance)}
		before := b.tat
		quantity := 1 + r.Int64N(q.limit)
		if b.take(t, q, epoch, quantity).Limited {
			continue
		}
		b.take(t, q, epoch, -quantity)
		if before == epoch {
			before = 0
		}
		require.Equal(t, before, b.tat)
	}
}
