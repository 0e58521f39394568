package pace

import (
	"bytes"
	"encoding/json"
	"math"
	"math/big"
	"os"
	"testing"

	"github.com/stretchr/testify/require"
)

const (
	second = 1_000_000_000
	micro  = 1_000
	epoch  = 1_790_000_000 * second
)

// TestGuava repeats recorded calls of Guava's RateLimiter, with the same answers. Guava drops fractions of a
// microsecond at each step, and its doubles round. So a limiter that is always busy may differ by two microseconds
// for each step.
func TestGuava(t *testing.T) {
	text, err := os.ReadFile("testdata/guava.jsonl")
	require.NoError(t, err)
	steps := 0
	for line := range bytes.Lines(text) {
		var r struct {
			MaxBurst int64 `json:"max_burst"`
			Count    int64
			Period   int64
			Warmup   int64
			Steps    [][5]int64
		}
		require.NoError(t, json.Unmarshal(line, &r))
		var s State
		for i, step := range r.Steps {
			at, permits, maxWait, acquired, slept := step[0], step[1], step[2], step[3] == 1, step[4]
			if maxWait < 0 {
				maxWait = Forever / micro
			}
			p, err := New(r.MaxBurst, r.Count, r.Period*second, maxWait*micro, r.Warmup*micro)
			require.NoError(t, err)
			d, next, err := p.Decide(s, epoch+at*micro, permits)
			require.NoError(t, err)
			require.Equal(t, acquired, !d.Limited, "step %d of %s", i, line)
			require.InDelta(t, slept*micro, d.Hold, float64(2*micro*(i+1)), "step %d of %s", i, line)
			if d.Changed {
				s = next
			}
			steps++
		}
	}
	require.Greater(t, steps, 3000)
}

func TestNew(t *testing.T) {
	const greatest = math.MaxInt64
	for _, c := range []struct {
		maxBurst, count, period, maxWait, warmup int64
		want                                     error
	}{
		{0, 1, second, 0, 0, nil},
		{5, 10, second, Forever, second, nil},
		{-1, 1, second, 0, 0, errMaxBurst},
		{0, 0, second, 0, 0, errCount},
		{0, 1, 0, 0, 0, errPeriod},
		{0, 2, 1, 0, 0, errCountTooLarge},
		{0, 1, second, -1, 0, errMaxWait},
		{0, 1, second, 0, -1, errWarmup},
		{greatest, 1, 1, 0, 0, errMaxBurstTooLarge},
		{3, 1, greatest / 2, 0, 0, errMaxBurstTooLarge},
	} {
		_, err := New(c.maxBurst, c.count, c.period, c.maxWait, c.warmup)
		require.Equal(t, c.want, err, "%+v", c)
	}
}

// TestWarmup checks the time between two requests: three intervals for a cold pacer, then less, and one interval after
// the warmup.
func TestWarmup(t *testing.T) {
	p, err := New(0, 10, second, Forever, second)
	require.NoError(t, err)
	var s State
	now, last := int64(epoch), int64(0)
	for i := range 10 {
		d, next, err := p.Decide(s, now, 1)
		require.NoError(t, err)
		if i == 5 {
			require.Equal(t, int64(second), now+d.Hold-epoch, "half of what is stored takes the warmup")
		}
		if i > 0 {
			require.Less(t, d.Hold, 3*int64(second/10))
			require.True(t, i == 1 || d.Hold < last || d.Hold == second/10, "%d after %d", d.Hold, last)
			last = d.Hold
		}
		now += d.Hold
		s = next
	}
	require.EqualValues(t, second/10, last)
}

// FuzzDecide compares with integers of any size, and checks what holds for every decision.
func FuzzDecide(f *testing.F) {
	f.Add(int64(0), int64(10), int64(second), int64(second), int64(0), int64(epoch+second), int64(0), int64(epoch), int64(2))
	f.Add(int64(5), int64(3), int64(second), int64(math.MaxInt64), int64(second), int64(epoch-second), int64(7), int64(epoch), int64(9))
	f.Add(int64(5), int64(1), int64(math.MaxInt64/6), int64(0), int64(0), int64(math.MinInt64), int64(-1), int64(math.MaxInt64), int64(math.MaxInt64))
	f.Add(int64(0), int64(1), int64(1), int64(0), int64(1), int64(0), int64(1), int64(1), int64(1))
	f.Fuzz(func(t *testing.T, maxBurst, count, period, maxWait, warmup, free, stored, now, quantity int64) {
		p, err := New(maxBurst, count, period, maxWait, warmup)
		if err != nil {
			return
		}
		s := State{free, stored}
		d, next, err := p.Decide(s, now, quantity)
		if err != nil {
			require.True(t, quantity < 0 || bigFree(p, p.at(s, now), quantity).Cmp(big.NewInt(math.MaxInt64)) > 0, "%v", err)
			return
		}
		require.False(t, d.Limited && d.Changed, "limited must write nothing")
		require.Equal(t, d.Changed, !d.Limited && quantity > 0)
		require.True(t, 0 <= d.Remaining && d.Remaining <= d.Limit && d.ResetAfter >= 0 && d.Hold >= 0 && d.Hold <= maxWait, "%+v", d)
		if d.Changed {
			require.True(t, next.Free >= now && 0 <= next.Stored && next.Stored <= p.most, "%+v", next)
			require.Zero(t, bigFree(p, p.at(s, now), quantity).Cmp(big.NewInt(next.Free)))
		}
		require.Equal(t, d.Limited, d.RetryAfter > 0)
		if d.Limited && now <= math.MaxInt64-d.RetryAfter && d.RetryAfter+maxWait < math.MaxInt64 && d.RetryAfter+maxWait > 0 {
			late, _, err := p.Decide(s, now+d.RetryAfter, 0)
			require.NoError(t, err)
			require.False(t, late.Limited, "after the wait: %+v", d)
			early, _, err := p.Decide(s, now+d.RetryAfter-1, 0)
			require.NoError(t, err)
			require.True(t, early.Limited, "a nanosecond early: %+v", d)
		}
	})
}

// bigFree returns the time at which the next request may go after a quantity, in integers of any size.
func bigFree(p Pacer, s State, quantity int64) *big.Int {
	n := big.NewInt
	cost := new(big.Int).Mul(n(quantity), n(p.interval))
	taken := n(s.Stored)
	if cost.Cmp(taken) < 0 {
		taken.Set(cost)
	}
	cost.Sub(cost, taken)
	if p.warmup > 0 {
		cost.Add(cost, taken)
		above := n(max(s.Stored-p.warmup/2, 0))
		steep := new(big.Int).Set(above)
		if taken.Cmp(steep) < 0 {
			steep.Set(taken)
		}
		area := new(big.Int).Sub(new(big.Int).Lsh(above, 1), steep)
		area.Mul(area, steep.Lsh(steep, 1))
		cost.Add(cost, area.Div(area, n(p.warmup)))
	}
	return cost.Add(cost, n(s.Free))
}

func TestDecideAllocatesNothing(t *testing.T) {
	require.Zero(t, testing.AllocsPerRun(100, func() {
		p, _ := New(4, 1, second, second, second)
		_, _, _ = p.Decide(State{epoch, 5}, epoch, 1)
		_, _, _ = p.Decide(State{}, epoch, math.MaxInt64)
	}))
}
