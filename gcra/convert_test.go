package gcra

import (
	"math"
	"math/rand/v2"
	"testing"

	"cellserver/internal/randtest"

	"github.com/stretchr/testify/require"
)

// TestConvert: a converted debt has as many requests as before, and no conversion forgives a charge.
func TestConvert(t *testing.T) {
	r := rand.New(randtest.Source(t))
	for range 20_000 {
		before, after := quota(t, r.Int64N(50), 1+r.Int64N(20), 1+r.Int64N(100)), quota(t, r.Int64N(50), 1+r.Int64N(20), 1+r.Int64N(100))
		counted := r.Int64N(80)
		tat := epoch + counted*before.Interval()
		got := after.Convert(tat, epoch, Counted{before.Interval(), before.Limit()})
		within := min(counted, before.Limit())
		want := min(within, after.Limit()) + counted - within
		require.Equal(t, want*after.Interval(), got-epoch, "%+v to %+v: %d", before, after, counted)
	}
	q := quota(t, 4, 1, 1)
	require.EqualValues(t, epoch, q.Convert(epoch, epoch, Counted{1, 1}))
	far := q.Convert(math.MaxInt64, epoch, Counted{1, 1})
	require.EqualValues(t, math.MaxInt64-q.tolerance, far)
	d, err := q.Decide(far, epoch, 1)
	require.NoError(t, err, "the quota can still count")
	require.True(t, d.Limited)
	require.EqualValues(t, 7, Quota{}.Convert(7, 1, Counted{1, 1}))
}
