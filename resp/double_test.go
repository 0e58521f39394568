package resp

import (
	"math"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// The expected texts are those of glibc's printf("%.17g").
func TestFormatDouble(t *testing.T) {
	for want, f := range map[string]float64{
		"0":                       0,
		"-0":                      math.Copysign(0, -1),
		"1":                       1,
		"-3":                      -3,
		"0.10000000000000001":     0.1,
		"3.1400000000000001":      3.14,
		"0.5":                     0.5,
		"100000":                  1e5,
		"999999999999999":         999999999999999,
		"1000000000000000":        1e15,
		"10000000000000000":       1e16,
		"1e+17":                   1e17,
		"1.2345678901234568e+17":  123456789012345678,
		"9007199254740992":        9007199254740993,
		"0.0001":                  0.0001,
		"0.0001220703125":         0.0001220703125,
		"1.0000000000000001e-05":  0.00001,
		"1.7976931348623157e+308": math.MaxFloat64,
		"4.9406564584124654e-324": math.SmallestNonzeroFloat64,
		"inf":                     math.Inf(1),
		"-inf":                    math.Inf(-1),
		"nan":                     math.NaN(),
	} {
		require.Equal(t, want, string(FormatDouble(nil, f)))
	}
}

// naiveDouble applies the C standard's rule for %g to 17 digits and an exponent.
func naiveDouble(f float64) string {
	sign, rest := "", strconv.FormatFloat(f, 'e', 16, 64)
	if rest[0] == '-' {
		sign, rest = "-", rest[1:]
	}
	mantissa, exponent, _ := strings.Cut(rest, "e")
	digits := strings.Replace(mantissa, ".", "", 1)
	x, _ := strconv.Atoi(exponent)
	trim := func(s string) string { return strings.TrimSuffix(strings.TrimRight(s, "0"), ".") }
	switch {
	case x < -4 || x >= 17:
		return sign + trim(digits[:1]+"."+digits[1:]) + "e" + exponent
	case x < 0:
		return sign + trim("0."+strings.Repeat("0", -x-1)+digits)
	}
	return sign + trim(digits[:x+1]+"."+digits[x+1:])
}

func TestFormatDoubleAgainstTheRule(t *testing.T) {
	r := newRand(t)
	for range 20_000 {
		f := math.Float64frombits(r.Uint64())
		switch r.IntN(4) {
		case 0:
			f = float64(r.Int64()) / math.Pow10(r.IntN(25))
		case 1:
			f = math.Pow10(r.IntN(40)-20) * float64(r.IntN(1000))
		case 2:
			f = float64(r.Int64() >> r.IntN(64))
		}
		if math.IsNaN(f) || math.IsInf(f, 0) {
			continue
		}
		got := string(FormatDouble(nil, f))
		require.Equal(t, naiveDouble(f), got)
		back, err := strconv.ParseFloat(got, 64)
		require.NoError(t, err)
		require.Equal(t, f, back)
	}
}
