package exact

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"cellserver/internal/randtest"

	"github.com/stretchr/testify/require"
)

// TestAgainstBigIntegers compares with integers of any size, near the ends of int64 and elsewhere.
func TestAgainstBigIntegers(t *testing.T) {
	r := rand.New(randtest.Source(t))
	for range 200_000 {
		a, b, c := number(r), number(r), number(r)
		sum, ok := Add(a, b)
		check(t, new(big.Int).Add(wide(a), wide(b)), sum, ok, "%d + %d", a, b)
		require.Equal(t, nearest(new(big.Int).Add(wide(a), wide(b))), Plus(a, b), "%d + %d", a, b)
		if b < 0 {
			continue
		}
		product, ok := Mul(a, b)
		check(t, new(big.Int).Mul(wide(a), wide(b)), product, ok, "%d * %d", a, b)
		if c <= 0 {
			continue
		}
		up := new(big.Int).Neg(new(big.Int).Div(wide(a).Neg(wide(a)), wide(c))) // Div rounds down for c > 0
		check(t, up, CeilDiv(a, c), true, "%d / %d", a, c)
		if a < 0 {
			continue
		}
		quotient, whole, ok := MulDiv(a, b, c)
		want, rest := new(big.Int).DivMod(new(big.Int).Mul(wide(a), wide(b)), wide(c), new(big.Int))
		check(t, want, quotient, ok, "%d * %d / %d", a, b, c)
		if ok {
			require.Equal(t, rest.Sign() == 0, whole, "%d * %d / %d", a, b, c)
		}
	}
}

// check requires the right result, or ok to be false if it does not fit.
func check(t *testing.T, want *big.Int, got int64, ok bool, format string, args ...any) {
	t.Helper()
	if ok != want.IsInt64() || ok && got != want.Int64() {
		t.Fatalf(format+": want %v, got %d, %v", append(args, want, got, ok)...)
	}
}

// nearest returns the int64 that is nearest to an integer.
func nearest(n *big.Int) int64 {
	switch {
	case n.IsInt64():
		return n.Int64()
	case n.Sign() > 0:
		return math.MaxInt64
	}
	return math.MinInt64
}

func wide(n int64) *big.Int { return big.NewInt(n) }

// number returns an integer that is small, near a power of two, or near an end of int64.
func number(r *rand.Rand) int64 {
	n := int64(1)<<r.IntN(63) + r.Int64N(5) - 2
	switch r.IntN(4) {
	case 0:
		return -n
	case 1:
		return math.MaxInt64 - r.Int64N(3)
	case 2:
		return math.MinInt64 + r.Int64N(3)
	}
	return n
}

func TestSince(t *testing.T) {
	require.EqualValues(t, 3, Since(-1, 2))
	require.EqualValues(t, 0, Since(math.MinInt64, math.MinInt64))
	require.EqualValues(t, math.MaxInt64, Since(-1, math.MaxInt64))
	require.EqualValues(t, math.MaxInt64, Since(math.MinInt64, 0))
}
