package limits

import (
	"cellserver/commands"
	"cellserver/limiters"
	"cellserver/server/servertest"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// Errors of many limiters.
const (
	errLimitInt    commands.Error = "ERR limit is not an integer or out of range"
	errQuantityInt commands.Error = "ERR quantity is not an integer or out of range"
	errBurstInt    commands.Error = "ERR max_burst is not an integer or out of range"
	errCountInt    commands.Error = "ERR count is not an integer or out of range"
	errPeriodSecs  commands.Error = "ERR period is not a number of seconds from 0 to 9223372036 with at most nine decimals"
	errLimitPos    commands.Error = "ERR limit must be positive"
	errPeriodPos   commands.Error = "ERR period must be positive"
	errPeriodMS    commands.Error = "ERR period must be a whole number of milliseconds, at least one"
	errNegative    commands.Error = "ERR quantity must not be negative"
)

// Errors of single limiters.
const (
	errThrottlecrabBurst commands.Error = "ERR max_burst must be positive"
	errNoGap             commands.Error = "ERR gap must be positive"
	errNoResolution      commands.Error = "ERR resolution must be positive"
	errNoWarmup          commands.Error = "ERR warmup must be positive"
	errNoWindow          commands.Error = "ERR the key holds no window: it does not expire"
	errNoPace            commands.Error = "ERR the key holds no pace: it is not two integers"
)

// badArguments has wrong values for every argument of every limiter, with the errors.
var badArguments = map[string]commands.Error{
	"CL.THROTTLE k 1 1 1 1 MS MS":          commands.ErrSyntax,
	"CL.THROTTLE k 1 1 1 1 NOW":            commands.ErrSyntax,
	"CL.THROTTLE k 1 1 1 1 ALIGN":          commands.ErrSyntax,
	"CL.THROTTLE k 1 1 1 MS PEEK":          "Cell error: Store error: Couldn't parse as integer: MS",
	"CL.THROTTLE k 1 1 0.5 1 MS":           "Cell error: Store error: Couldn't parse as integer: 0.5",
	"CL.THROTTLE k 1 0 1 1 PEEK":           "Cell error: Store error: Zero rates are not supported",
	"CL.THROTTLE k 1 1 1 1 2":              limiters.ErrThrottleUsage,
	"CL.PROBE k 1 1 1 1 PEEK peek":         commands.ErrSyntax,
	"CL.CHARGE k x 1 1 1":                  errBurstInt,
	"CL.CHARGE k 1 1.0 1 1":                errCountInt,
	"CL.CHARGE k 1 1 x 1":                  errPeriodSecs,
	"CL.CHARGE k 1 1 1 PEEK":               errQuantityInt,
	"CL.CHARGE k 1 1 1 1 1":                commands.ErrSyntax,
	"CL.CHARGE k -1 1 1 1":                 "ERR max_burst must not be negative",
	"CL.CHARGE k 1 0 1 1":                  "ERR count must be positive",
	"CL.CHARGE k 1 1 0 1":                  errPeriodPos,
	"CL.CHARGE k 1 2 0.000000001 1":        "ERR count is too large for this period: less than a nanosecond between two requests",
	"CL.CHARGE k 1 1 1":                    commands.WrongArity("cl.charge").(commands.Error),
	"CL.CHARGE k 9223372036 1 1 1":         "ERR max_burst is too large for this count and period: a burst would need over 292 years to come back",
	"CL.CHARGE k 1 1 1 9223372036":         "ERR quantity reaches too far: the quota would not be full again before the year 2262",
	"CL.CHARGE k 1 1 1 99999999999":        "ERR quantity is out of range for this count and period: over 292 years of requests",
	"GCRA k 1 x 1":                         "ERR tokens_per_period is not an integer or out of range",
	"GCRA k 1 1 1e3":                       errPeriodSecs,
	"GCRA k 1 1 1 TOKENS x":                "ERR tokens is not an integer or out of range",
	"GCRA k 1 1 1 TOKENS 1 TOKENS 1":       commands.ErrSyntax,
	"GCRA k 1 1 1 QUANTITY 1":              commands.ErrSyntax,
	"GCRA k 1 1":                           commands.WrongArity("gcra").(commands.Error),
	"THROTTLE k 1 1 1 x":                   commands.ErrSyntax,
	"THROTTLE k 1 1 1 1x":                  errQuantityInt,
	"THROTTLE k -1 1 1":                    errThrottlecrabBurst,
	"THROTTLE k -9223372036854775808 1 1":  errThrottlecrabBurst,
	"THROTTLE k 1 1":                       commands.WrongArity("throttle").(commands.Error),
	"CL.WINDOW k x 60":                     errLimitInt,
	"CL.WINDOW k 0 60":                     errLimitPos,
	"CL.WINDOW k -1 60":                    errLimitPos,
	"CL.WINDOW k 1 x":                      errPeriodSecs,
	"CL.WINDOW k 1 -1":                     errPeriodSecs,
	"CL.WINDOW k 1 0":                      errPeriodMS,
	"CL.WINDOW k 1 0.0005":                 errPeriodMS,
	"CL.WINDOW k 1 1.0005":                 errPeriodMS,
	"CL.WINDOW k 1 9223372036":             "ERR period is too long: its window would not end before the year 2262",
	"CL.WINDOW k 1 60 x":                   commands.ErrSyntax,
	"CL.WINDOW k 1 60 1.5":                 errQuantityInt,
	"CL.WINDOW k 1 60 -1":                  errNegative,
	"CL.WINDOW k 1 60 9223372036854775808": errQuantityInt,
	"CL.WINDOW k 1 60 ALIGN ALIGN":         commands.ErrSyntax,
	"CL.WINDOW k 1 60 STRICT":              commands.ErrSyntax,
	"CL.WINDOW k 1 60 MS 1":                commands.ErrSyntax,
	"CL.WINDOW k 1":                        commands.WrongArity("cl.window").(commands.Error),
	"CL.SLIDING k 0 60":                    "ERR limit must be from 1 to 999999999",
	"CL.SLIDING k 1000000000 60":           "ERR limit must be from 1 to 999999999",
	"CL.SLIDING k x 60":                    errLimitInt,
	"CL.SLIDING k 1 0":                     errPeriodMS,
	"CL.SLIDING k 1 0.0001":                errPeriodMS,
	"CL.SLIDING k 1 4611686019":            "ERR period is too long: its window would not end before the year 2262",
	"CL.SLIDING k 1 9223372036":            "ERR period is too long: its window would not end before the year 2262",
	"CL.SLIDING k 1 60 -1":                 errNegative,
	"CL.SLIDING k 1 60 ALIGN":              commands.ErrSyntax,
	"CL.SLIDING k 1":                       commands.WrongArity("cl.sliding").(commands.Error),
	"CL.LOG k 0 60":                        errLimitPos,
	"CL.LOG k x 60":                        errLimitInt,
	"CL.LOG k 1 0":                         errPeriodPos,
	"CL.LOG k 1 x":                         errPeriodSecs,
	"CL.LOG k 1 9223372036":                "ERR period is too long: an entry would not be forgotten before the year 2262",
	"CL.LOG k 1 60 -1":                     errNegative,
	"CL.LOG k 1 60 x":                      commands.ErrSyntax,
	"CL.LOG k 99999 60 10001":              "ERR quantity is too large for one entry each: with a resolution they share one",
	"CL.LOG k 1 60 GAP":                    commands.ErrSyntax,
	"CL.LOG k 1 60 GAP x":                  "ERR gap is not a number of seconds from 0 to 9223372036 with at most nine decimals",
	"CL.LOG k 1 60 GAP 0":                  errNoGap,
	"CL.LOG k 1 60 GAP 61":                 "ERR gap must not be negative or longer than period",
	"CL.LOG k 1 60 GAP 1 GAP 1":            commands.ErrSyntax,
	"CL.LOG k 1 60 RESOLUTION -1":          "ERR resolution is not a number of seconds from 0 to 9223372036 with at most nine decimals",
	"CL.LOG k 1 60 RESOLUTION 0":           errNoResolution,
	"CL.LOG k 1 60 RESOLUTION 61":          "ERR resolution must not be negative or longer than period",
	"CL.LOG k 1 60 STRICT STRICT":          commands.ErrSyntax,
	"CL.ACQUIRE k x 1 a":                   errLimitInt,
	"CL.ACQUIRE k 0 1 a":                   errLimitPos,
	"CL.ACQUIRE k 1 x a":                   "ERR lease is not a number of seconds from 0 to 9223372036 with at most nine decimals",
	"CL.ACQUIRE k 1 0 a":                   "ERR lease must be at least a microsecond",
	"CL.ACQUIRE k 1 0.000000999 a":         "ERR lease must be at least a microsecond",
	"CL.ACQUIRE k 1 9223372036 a":          "ERR lease is too long: it would not end before the year 2262",
	"CL.ACQUIRE k 1 1 a 1":                 commands.ErrSyntax,
	"CL.ACQUIRE k 1 1 a MS MS":             commands.ErrSyntax,
	"CL.ACQUIRE k 1 1":                     commands.WrongArity("cl.acquire").(commands.Error),
	"CL.RELEASE k a b":                     commands.WrongArity("cl.release").(commands.Error),
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
	"CL.PACE k 0 1 1 x":                    commands.ErrSyntax,
	"CL.PACE k 0 1 1 MAXWAIT":              commands.ErrSyntax,
	"CL.PACE k 0 1 1 MAXWAIT x":            "ERR maxwait is not a number of seconds from 0 to 9223372036 with at most nine decimals",
	"CL.PACE k 0 1 1 WARMUP -1":            "ERR warmup is not a number of seconds from 0 to 9223372036 with at most nine decimals",
	"CL.PACE k 0 1 1 WARMUP 0":             errNoWarmup,
	"CL.PACE k 0 1 1 WARMUP 1 WARMUP 1":    commands.ErrSyntax,
	"CL.PACE k 0 1 1 GAP 1":                commands.ErrSyntax,
	"CL.PACE k 0 1":                        commands.WrongArity("cl.pace").(commands.Error),
	"CL.LOG k 1":                           commands.WrongArity("cl.log").(commands.Error),
}

// TestLimiterArguments: an error writes nothing.
func TestLimiterArguments(t *testing.T) {
	h := servertest.New(t)
	for line, want := range badArguments {
		h.Want(line, want)
	}
	require.Zero(t, h.Server.Changes())
	for _, c := range commands.ByName() {
		if c.Group != commands.GroupLimiter || c.Keys == (commands.Keys{}) || c.Name == "cl.release" {
			continue
		}
		named := func(line string) bool { return strings.HasPrefix(line, strings.ToUpper(c.Name)+" ") }
		elsewhere := slices.Contains([]string{"cl.mthrottle", "cl.check", "cl.explain", "cl.mcheck", "cl.reserve", "cl.settle"}, c.Name) // they have their own tests
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

// TestLimiterOtherKeys: a key of another type is an error, and does not change.
func TestLimiterOtherKeys(t *testing.T) {
	h := servertest.New(t)
	h.SortedSet("set", "m")
	h.Want("SET text hello", ok)
	h.Want("SET number 5", ok)
	changes := h.Server.Changes()
	for line, want := range map[string]commands.Error{
		"CL.THROTTLE set 1 1 1 1 MS":           commands.ErrWrongType,
		"CL.THROTTLE text 1 1 1 1 MS":          commands.ErrNotInteger,
		"CL.PROBE set 1 1 1 1 MS":              commands.ErrWrongType,
		"CL.CHARGE set 1 1 1 1":                commands.ErrWrongType,
		"CL.CHARGE text 1 1 1 1":               commands.ErrNotInteger,
		"GCRA set 1 1 1":                       commands.ErrWrongType,
		"THROTTLE set 1 1 1":                   commands.ErrWrongType,
		"CL.WINDOW set 1 60":                   commands.ErrWrongType,
		"CL.WINDOW text 1 60":                  commands.ErrNotInteger,
		"CL.WINDOW number 1 60":                errNoWindow,
		"CL.SLIDING set 1 60":                  commands.ErrWrongType,
		"CL.SLIDING text 1 60":                 commands.ErrNotInteger,
		"CL.SLIDING number 1 60":               errNoWindow,
		"CL.LOG text 1 60":                     commands.ErrWrongType,
		"CL.LOG number 1 60":                   commands.ErrWrongType,
		"CL.ACQUIRE text 1 1 a":                commands.ErrWrongType,
		"CL.ACQUIRE number 1 1 a":              commands.ErrWrongType,
		"CL.RELEASE text a":                    commands.ErrWrongType,
		"CL.PACE set 0 1 1":                    commands.ErrWrongType,
		"CL.PACE text 0 1 1":                   errNoPace,
		"CL.PACE number 0 1 1":                 errNoPace,
		"CL.MTHROTTLE 2 fresh 1 1 1 set 1 1 1": commands.ErrWrongType,
	} {
		h.Want(line, want)
	}
	require.Equal(t, changes, h.Server.Changes())
	h.Want("EXISTS fresh", 0)
}

// TestThrottleOptions: CL.THROTTLE and CL.PROBE take options only after a quantity.
func TestThrottleOptions(t *testing.T) {
	h := servertest.New(t)
	h.Want("CL.THROTTLE k 15 30 60 1 ms", []any{0, 16, 15, -1, 2000})
	h.Want("CL.THROTTLE k 15 30 60 1 PEEK MS", []any{0, 16, 14, -1, 4000})
	h.Want("CL.THROTTLE k 15 30 60 20 PEEK", []any{1, 16, 15, -1, 2})
	h.Advance(1999)
	h.Want("CL.PROBE k 15 30 60 16 MS", []any{1, 16, 15, 2000, 2000})
	h.Want("CL.PROBE k 15 30 60 1 PEEK", []any{0, 16, 14, -1, 4})
	h.Want("CL.THROTTLE k 15 30 60 -1 MS", []any{0, 16, 16, -1, 0})
	h.Want("EXISTS k", 0)
}
