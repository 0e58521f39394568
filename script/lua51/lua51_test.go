package lua51_test

import (
	"math"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"
	"time"

	"cellserver/internal/randtest"
	"cellserver/script/lua51"

	"github.com/stretchr/testify/require"
)

func TestNumbersAsText(t *testing.T) {
	for f, want := range map[float64]string{
		0: "0", math.Copysign(0, -1): "-0", 1: "1", -1: "-1", 100: "100", 0.1: "0.1", 1.0 / 3: "0.33333333333333", 1e14: "1e+14",
		99999999999999: "99999999999999", 123456789012345: "1.2345678901234e+14", 1e15: "1e+15", 1e100: "1e+100", 1e-5: "1e-05",
		0.0001: "0.0001", 1795000000.123456: "1795000000.1235", math.Inf(1): "inf", math.Inf(-1): "-inf", 5e-324: "4.9406564584125e-324",
	} {
		require.Equal(t, want, lua51.Number(f))
		require.Equal(t, want, string(lua51.AppendNumber(nil, f)), "the short way and the long way are the same")
	}
	require.Equal(t, "nan", lua51.Number(math.Copysign(math.NaN(), 1)))
	require.Equal(t, "-nan", lua51.Number(math.Copysign(math.NaN(), -1)))
	require.Equal(t, "0.10000000000000001", string(lua51.AppendG(nil, 0.1, lua51.ExactDigits)))
	require.Equal(t, "1e+17", string(lua51.AppendG(nil, 1e17, lua51.ExactDigits)))
}

func TestTextAsNumbers(t *testing.T) {
	for text, want := range map[string]float64{
		"1": 1, " 12\t\n": 12, "-5": -5, "+5": 5, ".5": 0.5, "5.": 5, "1e3": 1000, "1E+3": 1000, "010": 10, "0x10": 16, "0X1f": 31,
		"-0x10": -16, "0x1p4": 16, "0x.8": 0.5, "inf": math.Inf(1), "-Infinity": math.Inf(-1), "1e309": math.Inf(1), "1\x00junk": 1,
	} {
		f, ok := lua51.ParseNumber(text)
		require.True(t, ok, "%q", text)
		require.Equal(t, want, f, "%q", text)
	}
	for _, text := range []string{"", " ", "-", ".", "e5", "1e", "1e+", "0x", "0xg", "1_0", "0b1", "0o7", "1 2", "- 5", "x", "5x", "\x00", "1e5.5", "++1"} {
		_, ok := lua51.ParseNumber(text)
		require.False(t, ok, "%q", text)
	}
	f, ok := lua51.ParseNumber("nan")
	require.True(t, ok)
	require.True(t, math.IsNaN(f))
}

func TestNumberPrefix(t *testing.T) {
	for text, want := range map[string]int{
		"1.5.2": 3, "1e5e5": 3, "1-2": 1, "0x1fz": 4, "0x": 1, "1e": 1, "inf,": 3, "infinityx": 8, "-": 0, "": 0, "nan]": 3, "12abc": 2, "+5": 2, "1e+": 1,
	} {
		_, length := lua51.NumberPrefix(text)
		require.Equal(t, want, length, "%q", text)
	}
}

// TestNumberPrefixTriesFewEnds: many points after a number take no longer than as many digits. The least of many times is
// one that nothing else of the machine has interrupted.
func TestNumberPrefixTriesFewEnds(t *testing.T) {
	measure := func(text string) (least time.Duration) {
		least = time.Hour
		for range 100 {
			begin := time.Now()
			lua51.NumberPrefix(text)
			least = min(least, time.Since(begin))
		}
		return least
	}
	digits := strings.Repeat("1", 2000)
	require.Less(t, measure(digits+strings.Repeat(".", 2000)), 20*measure(digits+digits))
}

func TestBases(t *testing.T) {
	for _, c := range []struct {
		text string
		base int
		want float64
	}{
		{"ff", 16, 255}, {"0xff", 16, 255}, {"zz", 36, 1295}, {"-1", 10, math.MaxUint64}, {" 7 ", 8, 7}, {"111", 2, 7},
		{"fffffffffffffffffff", 16, math.MaxUint64},
	} {
		f, ok := lua51.ParseBase(c.text, c.base)
		require.True(t, ok, c.text)
		require.Equal(t, c.want, f, c.text)
	}
	for _, text := range []string{"8", "", "-", "1.5", "0x"} {
		_, ok := lua51.ParseBase(text, 8)
		require.False(t, ok, text)
	}
}

func TestModulo(t *testing.T) {
	for _, c := range [][3]float64{{7, 3, 1}, {-7, 3, 2}, {7, -3, -2}, {5.5, 2, 1.5}, {-5, 5, 0}, {1 << 53, 3, 2}} {
		require.Equal(t, c[2], lua51.Mod(c[0], c[1]), c)
	}
	require.True(t, math.IsNaN(lua51.Mod(5, 0)))
	require.True(t, math.IsNaN(lua51.Mod(5, math.Inf(1))))
}

// Powers of ten are what strconv reads, which rounds once.
func TestPowersAreRoundedOnce(t *testing.T) {
	for n := -320; n <= 308; n++ {
		want, err := strconv.ParseFloat("1e"+strconv.Itoa(n), 64)
		require.NoError(t, err)
		require.Equal(t, want, lua51.Pow(10, float64(n)), n)
	}
	require.Equal(t, math.Inf(1), lua51.Pow(10, 400))
	require.Equal(t, 0.0, lua51.Pow(10, -400))
	require.Equal(t, 1<<53, int(lua51.Pow(2, 53)))
	require.Equal(t, 5e-324, lua51.Pow(2, -1074))
	require.Equal(t, -27.0, lua51.Pow(-3, 3))
	require.Equal(t, 1.0, lua51.Pow(0, 0))
}

func TestIntegers(t *testing.T) {
	require.Equal(t, int64(1), lua51.Int(1.9))
	require.Equal(t, int64(-1), lua51.Int(-1.9))
	for _, f := range []float64{math.NaN(), math.Inf(1), math.Inf(-1), 1e300, -1e300, 1 << 63} {
		require.Equal(t, int64(math.MinInt64), lua51.Int(f))
	}
}

func TestDirectives(t *testing.T) {
	for _, c := range []struct{ format, problem string }{
		{"d", ""}, {"-5.3f", ""}, {"-+ #0d", ""}, {"-+ #00d", "invalid format (repeated flags)"},
		{"123d", "invalid format (width or precision too long)"}, {".123f", "invalid format (width or precision too long)"},
	} {
		_, _, problem := lua51.ParseDirective(c.format)
		require.Equal(t, c.problem, problem, c.format)
	}
	for format, want := range map[string]string{
		"5d": "   42", "-5d": "42   ", "05d": "00042", "+d": "+42", " d": " 42", ".4d": "0042", "x": "2a", "#x": "0x2a", "X": "2A", "#o": "052", "c": "*",
	} {
		d, _, _ := lua51.ParseDirective(format)
		require.Equal(t, want, string(d.AppendInt(nil, 42)), format)
	}
	for format, want := range map[string]string{
		"d": "0", "+.0d": "+", " .0i": " ", "#x": "0", "#o": "0", "+u": "0", ".0x": "", "-#4X|": "0   ",
	} {
		d, _, _ := lua51.ParseDirective(format)
		require.Equal(t, want, string(d.AppendInt(nil, 0)), format)
	}
	d, _, _ := lua51.ParseDirective("#08x")
	require.Equal(t, "0x00002a", string(d.AppendInt(nil, 42)), "the prefix is a part of the width")
	for format, want := range map[string]string{
		"f": "2.500000", ".0f": "2", "8.2f": "    2.50", "-8.2f": "2.50    ", "08.2f": "00002.50", "+.1f": "+2.5", "e": "2.500000e+00", "g": "2.5", "#g": "2.50000",
	} {
		d, _, _ := lua51.ParseDirective(format)
		require.Equal(t, want, string(d.AppendFloat(nil, 2.5)), format)
	}
}

// A pattern that never ends is ended by its steps.
func TestMatchesCountSteps(t *testing.T) {
	steps := 0
	m := lua51.Matcher{Subject: "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", Pattern: "a*a*a*a*a*a*a*a*b", Step: func() {
		if steps++; steps > 1000 {
			panic("enough")
		}
	}}
	require.PanicsWithValue(t, "enough", func() { m.Match(0, 0) })
}

func FuzzPatterns(f *testing.F) {
	f.Add("hello world", "(%w+) (%w+)")
	f.Add("f(a(b)c)d", "%b()")
	f.Add("x", "[]-a]%f[%w]%1")
	f.Fuzz(func(t *testing.T, subject, pattern string) {
		steps := 0
		m := lua51.Matcher{Subject: subject, Pattern: pattern, Step: func() {
			if steps++; steps > 10000 {
				panic(lua51.PatternError("enough"))
			}
		}}
		defer func() {
			if problem := recover(); problem != nil {
				require.IsType(t, lua51.PatternError(""), problem)
			}
		}()
		end := m.Match(0, 0)
		require.LessOrEqual(t, end, len(subject))
		if end >= 0 {
			for i := range m.Captures(true) {
				m.Capture(i, 0, end)
			}
		}
	})
}

// Powers with a fraction, and natural logarithms, have the digits that glibc gives them.
func TestPowersWithFractions(t *testing.T) {
	for _, c := range []struct{ a, b, want float64 }{
		{65536, 1.5, 16777216}, {2, 1. / 3, 1.2599210498948732}, {992.483299036558, 1. / 3, 9.974881287981324},
		{49331, 1.2371303107723506, 639736.1673723564}, {1.0070260673422473, -11.25, 0.92425537114013279},
		{5e-324, 0.5931433070055814, 1.7103392248331513e-192}, {1.5677544918609887, 1025, 1.4454567942328012e+200},
		{1e300, 1.5, math.Inf(1)}, {1e-300, 1.5, 0}, {-8, 1. / 3, math.NaN()}, {math.Inf(1), 0.5, math.Inf(1)}, {0, 0.5, 0},
	} {
		if got := lua51.Pow(c.a, c.b); !math.IsNaN(c.want) || !math.IsNaN(got) {
			require.Equal(t, c.want, got, "%v ^ %v", c.a, c.b)
		}
	}
	require.Equal(t, -713.80137882815416, lua51.Log(1e-310))
	require.Equal(t, 5.3290705182007372e-15, lua51.Log(1.0000000000000053))
	require.Equal(t, 0.0, lua51.Log(1))
	require.Equal(t, math.Inf(-1), lua51.Log(0))
	require.Equal(t, 0.85892966634966861, lua51.Exp(-0.15206823887203336))
	require.Equal(t, math.Inf(1), lua51.Exp(710))
	require.Equal(t, 0.0, lua51.Exp(-746))
}

// Log10 has the digits that Redis 7.0.15 prints with glibc 2.36. Several of them are not the nearest ones.
func TestLogarithmsToTheBase10(t *testing.T) {
	for x, want := range map[float64]float64{
		7.443691193681221: 0.87178834784641568, 9.430257809392797: 0.97452356587266009, 0.38715176000778595: -0.41211876207542819,
		0.5625984751195211: -0.24980144929146311, 11: 1.0413926851582249, 40: 1.6020599913279625, // not the nearest ones
		8.1493612038226804e+71: 71.911123567448229, 2.899036256091077e-283: -282.53774635321287, 2.4524139049301385e-241: -240.61040623013358,
		70675: 4.849265817161557, 9.9205309417026116e-25: -24.003465084006997, 0.045665340865833626: -1.3404132962423265,
		1: 0, 10: 1, 1000: 3, 0.5: -0.3010299956639812, 1e-310: -310, 5e-324: -323.30621534311581, math.Inf(1): math.Inf(1), 0: math.Inf(-1),
	} {
		require.Equal(t, want, lua51.Log10(x), x)
	}
	require.True(t, math.IsNaN(lua51.Log10(-1)))
	for n := -307; n <= 308; n++ {
		x, err := strconv.ParseFloat("1e"+strconv.Itoa(n), 64)
		require.NoError(t, err)
		require.InDelta(t, n, lua51.Log10(x), 1e-12)
	}
}

// A power of a negative base has the size of that of the positive one. It is negative if the exponent is odd.
func TestPowersOfNegativeBases(t *testing.T) {
	require.Equal(t, "-7.7890505415704e+250", lua51.Number(lua51.Pow(-1.7570016932074601, 1025)))
	r := rand.New(randtest.Source(t))
	for range 1000 {
		a, n := 1+r.Float64()/4, float64(r.IntN(6000)-3000)
		want := lua51.Pow(a, n)
		if math.Mod(n, 2) != 0 {
			want = -want
		}
		require.Equal(t, want, lua51.Pow(-a, n), "%v ^ %v", -a, n)
	}
	for n, want := range map[float64]float64{
		1 << 53: 1, 1<<53 - 1: -1, 1e300: 1, -1025: -1, math.Inf(1): 1,
	} {
		require.Equal(t, want, lua51.Pow(-1, n), n)
	}
	require.True(t, math.IsNaN(lua51.Pow(-2, 1025.5)))
	require.Equal(t, math.Inf(-1), lua51.Pow(-2, 1025))
	require.Equal(t, 0.0, lua51.Pow(-2, -3000))
}

// A square root is rounded once, as the processor does it.
func TestPowersOfAHalfAreRoundedOnce(t *testing.T) {
	r := rand.New(randtest.Source(t))
	for range 10_000 {
		x := r.Float64() * math.Exp(20*r.NormFloat64())
		require.Equal(t, math.Sqrt(x), lua51.Pow(x, 0.5), x)
	}
}
