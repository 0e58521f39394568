package commands

import (
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

// FuzzParseSeconds compares with unbounded rationals.
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

// Errors that many limiters answer with.
const (
	errLimitInt    Error = "ERR limit is not an integer or out of range"
	errQuantityInt Error = "ERR quantity is not an integer or out of range"
	errBurstInt    Error = "ERR max_burst is not an integer or out of range"
	errCountInt    Error = "ERR count is not an integer or out of range"
	errPeriodSecs  Error = "ERR period is not a number of seconds from 0 to 9223372036 with at most nine decimals"
	errLimitPos    Error = "ERR limit must be positive"
	errPeriodPos   Error = "ERR period must be positive"
	errPeriodMS    Error = "ERR period must be a whole number of milliseconds, at least one"
	errNegative    Error = "ERR quantity must not be negative"
)

// badArguments are bad values of every argument of every limiter, and what is answered.
var badArguments = map[string]Error{
	"CL.THROTTLE k 1 1 1 1 MS MS":          errSyntax,
	"CL.THROTTLE k 1 1 1 1 NOW":            errSyntax,
	"CL.THROTTLE k 1 1 1 1 ALIGN":          errSyntax,
	"CL.THROTTLE k 1 1 1 MS PEEK":          "Cell error: Store error: Couldn't parse as integer: MS",
	"CL.THROTTLE k 1 1 0.5 1 MS":           "Cell error: Store error: Couldn't parse as integer: 0.5",
	"CL.THROTTLE k 1 0 1 1 PEEK":           "Cell error: Store error: Zero rates are not supported",
	"CL.THROTTLE k 1 1 1 1 2":              throttleUsage,
	"CL.PROBE k 1 1 1 1 PEEK peek":         errSyntax,
	"CL.CHARGE k x 1 1 1":                  errBurstInt,
	"CL.CHARGE k 1 1.0 1 1":                errCountInt,
	"CL.CHARGE k 1 1 x 1":                  errPeriodSecs,
	"CL.CHARGE k 1 1 1 PEEK":               errQuantityInt,
	"CL.CHARGE k 1 1 1 1 1":                errSyntax,
	"CL.CHARGE k -1 1 1 1":                 "ERR max_burst must not be negative",
	"CL.CHARGE k 1 0 1 1":                  "ERR count must be positive",
	"CL.CHARGE k 1 1 0 1":                  errPeriodPos,
	"CL.CHARGE k 1 2 0.000000001 1":        "ERR count is too large for this period: less than a nanosecond between two requests",
	"CL.CHARGE k 1 1 1":                    wrongArity("cl.charge").(Error),
	"CL.CHARGE k 9223372036 1 1 1":         "ERR max_burst is too large for this count and period: a burst would need over 292 years to come back",
	"CL.CHARGE k 1 1 1 9223372036":         "ERR quantity reaches too far: the quota would not be full again before the year 2262",
	"CL.CHARGE k 1 1 1 99999999999":        "ERR quantity is out of range for this count and period: over 292 years of requests",
	"GCRA k 1 x 1":                         "ERR tokens_per_period is not an integer or out of range",
	"GCRA k 1 1 1e3":                       errPeriodSecs,
	"GCRA k 1 1 1 TOKENS x":                "ERR tokens is not an integer or out of range",
	"GCRA k 1 1 1 TOKENS 1 TOKENS 1":       errSyntax,
	"GCRA k 1 1 1 QUANTITY 1":              errSyntax,
	"GCRA k 1 1":                           wrongArity("gcra").(Error),
	"THROTTLE k 1 1 1 x":                   errSyntax,
	"THROTTLE k 1 1 1 1x":                  errQuantityInt,
	"THROTTLE k -1 1 1":                    errCrabBurst,
	"THROTTLE k -9223372036854775808 1 1":  errCrabBurst,
	"THROTTLE k 1 1":                       wrongArity("throttle").(Error),
	"CL.WINDOW k x 60":                     errLimitInt,
	"CL.WINDOW k 0 60":                     errLimitPos,
	"CL.WINDOW k -1 60":                    errLimitPos,
	"CL.WINDOW k 1 x":                      errPeriodSecs,
	"CL.WINDOW k 1 -1":                     errPeriodSecs,
	"CL.WINDOW k 1 0":                      errPeriodMS,
	"CL.WINDOW k 1 0.0005":                 errPeriodMS,
	"CL.WINDOW k 1 1.0005":                 errPeriodMS,
	"CL.WINDOW k 1 9223372036":             "ERR period is too long: its window would not end before the year 2262",
	"CL.WINDOW k 1 60 x":                   errSyntax,
	"CL.WINDOW k 1 60 1.5":                 errQuantityInt,
	"CL.WINDOW k 1 60 -1":                  errNegative,
	"CL.WINDOW k 1 60 9223372036854775808": errQuantityInt,
	"CL.WINDOW k 1 60 ALIGN ALIGN":         errSyntax,
	"CL.WINDOW k 1 60 STRICT":              errSyntax,
	"CL.WINDOW k 1 60 MS 1":                errSyntax,
	"CL.WINDOW k 1":                        wrongArity("cl.window").(Error),
	"CL.SLIDING k 0 60":                    "ERR limit must be from 1 to 999999999",
	"CL.SLIDING k 1000000000 60":           "ERR limit must be from 1 to 999999999",
	"CL.SLIDING k x 60":                    errLimitInt,
	"CL.SLIDING k 1 0":                     errPeriodMS,
	"CL.SLIDING k 1 0.0001":                errPeriodMS,
	"CL.SLIDING k 1 4611686019":            "ERR period is too long: its window would not end before the year 2262",
	"CL.SLIDING k 1 9223372036":            "ERR period is too long: its window would not end before the year 2262",
	"CL.SLIDING k 1 60 -1":                 errNegative,
	"CL.SLIDING k 1 60 ALIGN":              errSyntax,
	"CL.SLIDING k 1":                       wrongArity("cl.sliding").(Error),
	"CL.LOG k 0 60":                        errLimitPos,
	"CL.LOG k x 60":                        errLimitInt,
	"CL.LOG k 1 0":                         errPeriodPos,
	"CL.LOG k 1 x":                         errPeriodSecs,
	"CL.LOG k 1 9223372036":                "ERR period is too long: an entry would not be forgotten before the year 2262",
	"CL.LOG k 1 60 -1":                     errNegative,
	"CL.LOG k 1 60 x":                      errSyntax,
	"CL.LOG k 99999 60 10001":              "ERR quantity is too large for one entry each: with a resolution they share one",
	"CL.LOG k 1 60 GAP":                    errSyntax,
	"CL.LOG k 1 60 GAP x":                  "ERR gap is not a number of seconds from 0 to 9223372036 with at most nine decimals",
	"CL.LOG k 1 60 GAP 0":                  errNoGap,
	"CL.LOG k 1 60 GAP 61":                 "ERR gap must not be negative or longer than period",
	"CL.LOG k 1 60 GAP 1 GAP 1":            errSyntax,
	"CL.LOG k 1 60 RESOLUTION -1":          "ERR resolution is not a number of seconds from 0 to 9223372036 with at most nine decimals",
	"CL.LOG k 1 60 RESOLUTION 0":           errNoResolution,
	"CL.LOG k 1 60 RESOLUTION 61":          "ERR resolution must not be negative or longer than period",
	"CL.LOG k 1 60 STRICT STRICT":          errSyntax,
	"CL.ACQUIRE k x 1 a":                   errLimitInt,
	"CL.ACQUIRE k 0 1 a":                   errLimitPos,
	"CL.ACQUIRE k 1 x a":                   "ERR lease is not a number of seconds from 0 to 9223372036 with at most nine decimals",
	"CL.ACQUIRE k 1 0 a":                   "ERR lease must be at least a microsecond",
	"CL.ACQUIRE k 1 0.000000999 a":         "ERR lease must be at least a microsecond",
	"CL.ACQUIRE k 1 9223372036 a":          "ERR lease is too long: it would not end before the year 2262",
	"CL.ACQUIRE k 1 1 a 1":                 errSyntax,
	"CL.ACQUIRE k 1 1 a MS MS":             errSyntax,
	"CL.ACQUIRE k 1 1":                     wrongArity("cl.acquire").(Error),
	"CL.RELEASE k a b":                     wrongArity("cl.release").(Error),
	"CL.PACE k x 1 1":                      errBurstInt,
	"CL.PACE k -1 1 1":                     "ERR max_burst must not be negative",
	"CL.PACE k 0 x 1":                      errCountInt,
	"CL.PACE k 0 0 1":                      "ERR count must be positive",
	"CL.PACE k 0 1 x":                      errPeriodSecs,
	"CL.PACE k 0 1 0":                      errPeriodPos,
	"CL.PACE k 0 2 0.000000001":            "ERR count is too large for this period: less than a nanosecond between two requests",
	"CL.PACE k 9223372037 1 1":             "ERR max_burst is too large for this count and period: a burst would need over 292 years to come back",
	"CL.PACE k 0 1 1 -1":                   errNegative,
	"CL.PACE k 0 1 1 9223372037":           "ERR quantity reaches too far: the next request would not be free to go before the year 2262",
	"CL.PACE k 0 1 1 x":                    errSyntax,
	"CL.PACE k 0 1 1 MAXWAIT":              errSyntax,
	"CL.PACE k 0 1 1 MAXWAIT x":            "ERR maxwait is not a number of seconds from 0 to 9223372036 with at most nine decimals",
	"CL.PACE k 0 1 1 WARMUP -1":            "ERR warmup is not a number of seconds from 0 to 9223372036 with at most nine decimals",
	"CL.PACE k 0 1 1 WARMUP 0":             errNoWarmup,
	"CL.PACE k 0 1 1 WARMUP 1 WARMUP 1":    errSyntax,
	"CL.PACE k 0 1 1 GAP 1":                errSyntax,
	"CL.PACE k 0 1":                        wrongArity("cl.pace").(Error),
	"CL.LOG k 1":                           wrongArity("cl.log").(Error),
}

// TestLimiterArguments: nothing is written on any error.
func TestLimiterArguments(t *testing.T) {
	h := newHarness(t)
	for line, want := range badArguments {
		h.want(line, want)
	}
	require.Zero(t, h.server.Changes())
	for _, c := range deciding() {
		named := func(line string) bool { return strings.HasPrefix(line, strings.ToUpper(c.Name)+" ") }
		elsewhere := c.Name == "cl.mthrottle" || c.Name == "cl.check" // in their own tests
		require.True(t, hasKey(badArguments, named) || elsewhere, c.Name)
	}
}

func hasKey[V any](m map[string]V, is func(string) bool) bool {
	for k := range m {
		if is(k) {
			return true
		}
	}
	return false
}

// TestLimiterOtherKeys: a key that holds something else is an error, and stays as it is.
func TestLimiterOtherKeys(t *testing.T) {
	h := newHarness(t)
	h.sortedSet("set", "m")
	h.want("SET text hello", ok)
	h.want("SET number 5", ok)
	changes := h.server.Changes()
	for line, want := range map[string]Error{
		"CL.THROTTLE set 1 1 1 1 MS":           errWrongType,
		"CL.THROTTLE text 1 1 1 1 MS":          errNotInteger,
		"CL.PROBE set 1 1 1 1 MS":              errWrongType,
		"CL.CHARGE set 1 1 1 1":                errWrongType,
		"CL.CHARGE text 1 1 1 1":               errNotInteger,
		"GCRA set 1 1 1":                       errWrongType,
		"THROTTLE set 1 1 1":                   errWrongType,
		"CL.WINDOW set 1 60":                   errWrongType,
		"CL.WINDOW text 1 60":                  errNotInteger,
		"CL.WINDOW number 1 60":                errNoWindow,
		"CL.SLIDING set 1 60":                  errWrongType,
		"CL.SLIDING text 1 60":                 errNotInteger,
		"CL.SLIDING number 1 60":               errNoWindow,
		"CL.LOG text 1 60":                     errWrongType,
		"CL.LOG number 1 60":                   errWrongType,
		"CL.ACQUIRE text 1 1 a":                errWrongType,
		"CL.ACQUIRE number 1 1 a":              errWrongType,
		"CL.RELEASE text a":                    errWrongType,
		"CL.PACE set 0 1 1":                    errWrongType,
		"CL.PACE text 0 1 1":                   errNoPace,
		"CL.PACE number 0 1 1":                 errNoPace,
		"CL.MTHROTTLE 2 fresh 1 1 1 set 1 1 1": errWrongType,
	} {
		h.want(line, want)
	}
	require.Equal(t, changes, h.server.Changes())
	h.want("EXISTS fresh", 0)
}

// TestThrottleOptions: CL.THROTTLE and CL.PROBE take them after an explicit quantity.
func TestThrottleOptions(t *testing.T) {
	h := newHarness(t)
	h.want("CL.THROTTLE k 15 30 60 1 ms", []any{0, 16, 15, -1, 2000})
	h.want("CL.THROTTLE k 15 30 60 1 PEEK MS", []any{0, 16, 14, -1, 4000})
	h.want("CL.THROTTLE k 15 30 60 20 PEEK", []any{1, 16, 15, -1, 2})
	h.advance(1999)
	h.want("CL.PROBE k 15 30 60 16 MS", []any{1, 16, 15, 2000, 2000})
	h.want("CL.PROBE k 15 30 60 1 PEEK", []any{0, 16, 14, -1, 4})
	h.want("CL.THROTTLE k 15 30 60 -1 MS", []any{0, 16, 16, -1, 0})
	h.want("EXISTS k", 0)
}

// TestRandomDurations: what a decimal spells is what is parsed.
func TestRandomDurations(t *testing.T) {
	r := rand.New(newSeed(t))
	for range 10_000 {
		want := r.Int64() >> r.IntN(63)
		ns, ok := parseSeconds([]byte(asDecimal(want)))
		require.True(t, ok)
		require.Equal(t, want, ns)
	}
}
