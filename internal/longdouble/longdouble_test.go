package longdouble

import (
	"fmt"
	"math/big"
	"math/rand/v2"
	"strings"
	"testing"

	"cellserver/internal/randtest"

	"github.com/stretchr/testify/require"
)

func TestParseLongDouble(t *testing.T) {
	for in, want := range map[string]string{
		"0": "0", "-0": "0", "+1": "1", "1.": "1", ".5": "0.5", "1e3": "1000", "1E+3": "1000", "5e-1": "0.5",
		"0x10": "16", "0X1.8p1": "3", "0x.8P-1": "0.25", "0e99999999999999999999": "0",
		"3.0e-18":              "0",
		"1.1":                  "1.1",
		"18446744073709551617": "18446744073709551616", // 2^64+1 does not fit into the mantissa
		"2e-4951":              "0",
		"0." + strings.Repeat("0", 5000) + "1e5001": "1",
	} {
		f, ok := Parse([]byte(in))
		require.True(t, ok, in)
		require.Equal(t, want, string(Format(f)), in)
	}
	for _, in := range []string{
		"", " 1", "1 ", "nan", "NaN", "nan(1)", "abc", "1.2.3", "1e", "1e+", "e5", ".", "-", "--1", "+-1", "0x", "0xp1", "1_0", "0x1_0",
		"1p3", "0x1p", "1e5000", "1e-5000", "1e999999999999999999999", "-1e-999999999999999999999", "0x1p16384", "0x1p-16446", "1e-4951",
		"1\x00", strings.Repeat("1", maxChars),
	} {
		_, ok := Parse([]byte(in))
		require.False(t, ok, "%q", in)
	}
	for in, want := range map[string]bool{"inf": false, "-Infinity": true} {
		f, ok := Parse([]byte(in))
		require.True(t, ok)
		require.Equal(t, new(big.Float).SetInf(want).String(), f.String())
	}
}

// TestParseRoundsOnce compares with a parser that has bits for all digits, and rounds them at its end.
func TestParseRoundsOnce(t *testing.T) {
	r := rand.New(randtest.Source(t))
	for range 20_000 {
		digits, base, mark, most := fmt.Sprint(r.Uint64()>>r.IntN(64)), 10, "e", 40
		if r.IntN(2) == 0 {
			digits, base, mark, most = fmt.Sprintf("%x%x", r.Uint64(), r.Uint64()>>r.IntN(64)), 0, "p", 200
		}
		at := r.IntN(len(digits) + 1)
		text := digits[:at] + "." + digits[at:] + mark + fmt.Sprint(r.IntN(2*most)-most)
		if base == 0 {
			text = "0x" + text
		}
		want, _, err := big.ParseFloat(text, base, 2000, big.ToNearestEven)
		require.NoError(t, err, text)
		got, ok := Parse([]byte(text))
		require.True(t, ok, text)
		require.Zero(t, want.SetPrec(prec).Cmp(got), "%s is %v", text, got)
	}
}
