package limiters

import (
	"cellserver/internal/randtest"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestParseSeconds is exact to the nanosecond.
func TestParseSeconds(t *testing.T) {
	for text, want := range map[string]int64{
		"0": 0, "60": 60e9, "007": 7e9, "0.25": 250e6, ".5": 500e6, "5.": 5e9, "1.000000001": 1e9 + 1, "0.1": 100e6, "0.3": 300e6,
		"9223372036.854775807": math.MaxInt64, "9223372036": 9223372036e9,
	} {
		ns, ok := parseSeconds([]byte(text))
		require.True(t, ok, text)
		require.Equal(t, want, ns, text)
	}
	for _, text := range []string{"", ".", "-1", "+1", "1e3", "0x1", "1.2.3", " 1", "1 ", "inf", "nan", "1_0", "0.0000000001", "1.0000000000",
		"9223372036.854775808", "9223372037", "99999999999999999999", "0.-1", "१"} {
		_, ok := parseSeconds([]byte(text))
		require.False(t, ok, text)
	}
}

// FuzzParseSeconds compares with rational arithmetic.
func FuzzParseSeconds(f *testing.F) {
	f.Add("0.25")
	f.Add("9223372036.854775807")
	f.Fuzz(func(t *testing.T, text string) {
		ns, ok := parseSeconds([]byte(text))
		whole, decimals, _ := strings.Cut(text, ".")
		plain := strings.Trim(whole+decimals, "0123456789") == "" && whole+decimals != "" && len(decimals) <= 9
		exact, parsed := new(big.Rat).SetString("0" + text)
		if !plain || !parsed {
			require.False(t, ok, text)
			return
		}
		exact.Mul(exact, big.NewRat(1e9, 1))
		require.True(t, exact.IsInt())
		require.Equal(t, exact.Num().IsInt64(), ok, text)
		if ok {
			require.Equal(t, exact.Num().Int64(), ns, text)
		}
	})
}

// TestRandomDurations: a formatted duration parses to the same number of nanoseconds.
func TestRandomDurations(t *testing.T) {
	r := rand.New(randtest.Source(t))
	for range 10_000 {
		want := r.Int64() >> r.IntN(63)
		ns, ok := parseSeconds([]byte(fmt.Sprintf("%d.%09d", want/1e9, want%1e9)))
		require.True(t, ok)
		require.Equal(t, want, ns)
	}
}
