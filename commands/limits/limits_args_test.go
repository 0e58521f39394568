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

// Errors of keys.
const (
	errNoWindow commands.Error = "ERR the key holds no window: it does not expire"
	errNoPace   commands.Error = "ERR the key holds no pace: it is not two integers"
)

// badArguments has wrong values for every argument of every limiter, with the errors.
var badArguments = map[string]commands.Error{
	"CL.THROTTLE k 1 1 1 1 MS MS":          "ERR syntax error: 'MS' repeats",
	"CL.THROTTLE k 1 1 1 1 NOW":            "ERR syntax error: 'NOW' is not an option of CL.THROTTLE: use MS, PEEK",
	"CL.THROTTLE k 1 1 1 1 ALIGN":          "ERR syntax error: 'ALIGN' is not an option of CL.THROTTLE: use MS, PEEK",
	"CL.THROTTLE k 1 1 1 MS PEEK":          "Cell error: Store error: Couldn't parse as integer: MS",
	"CL.THROTTLE k 1 1 0.5 1 MS":           "Cell error: Store error: Couldn't parse as integer: 0.5",
	"CL.THROTTLE k 1 0 1 1 PEEK":           "Cell error: Store error: Zero rates are not supported",
	"CL.THROTTLE k 1 1 1 1 2":              limiters.ErrThrottleUsage,
	"CL.PROBE k 1 1 1 1 PEEK peek":         "ERR syntax error: 'peek' repeats",
	"CL.CHARGE k x 1 1 1":                  "ERR max_burst 'x' is not an integer or out of range",
	"CL.CHARGE k 1 1.0 1 1":                "ERR count '1.0' is not an integer or out of range",
	"CL.CHARGE k 1 1 x 1":                  "ERR period 'x' is not a number of seconds: 60 or 0.25, at most 9223372036, with at most nine decimals",
	"CL.CHARGE k 1 1 1 PEEK":               "ERR the quantity is missing: write QUANTITY and a number at the end of CL.CHARGE",
	"CL.CHARGE k 1 1 1 1 1":                "ERR syntax error: '1' is not an option of CL.CHARGE: use MS, PEEK",
	"CL.CHARGE k -1 1 1 1":                 "ERR max_burst '-1' must not be negative",
	"CL.CHARGE k 1 0 1 1":                  "ERR count '0' must be positive",
	"CL.CHARGE k 1 1 0 1":                  "ERR period '0' must be positive",
	"CL.CHARGE k 1 2 0.000000001 1":        "ERR count '2' is too large for this period: less than a nanosecond between two requests",
	"CL.CHARGE k 1 1 1":                    commands.WrongArity("cl.charge").(commands.Error),
	"CL.CHARGE k 9223372036 1 1 1":         "ERR max_burst '9223372036' is too large for this count and period: a burst would need over 292 years to come back",
	"CL.CHARGE k 1 1 1 9223372036":         "ERR quantity '9223372036' reaches too far: the quota would not be full again before the year 2262",
	"CL.CHARGE k 1 1 1 99999999999":        "ERR quantity '99999999999' is out of range for this count and period: over 292 years of requests",
	"GCRA k 1 x 1":                         "ERR tokens_per_period 'x' is not an integer or out of range",
	"GCRA k 1 1 1e3":                       "ERR period '1e3' is not a number of seconds: 60 or 0.25, at most 9223372036, with at most nine decimals",
	"GCRA k 1 1 1 TOKENS x":                "ERR tokens 'x' is not an integer or out of range",
	"GCRA k 1 1 1 TOKENS 1 TOKENS 1":       "ERR syntax error: 'TOKENS' repeats",
	"GCRA k 1 1 1 QUANTITY 1":              "ERR syntax error: 'QUANTITY' is not an option of GCRA: use MS, PEEK, TOKENS",
	"GCRA k 1 1":                           commands.WrongArity("gcra").(commands.Error),
	"THROTTLE k 1 1 1 x":                   "ERR syntax error: 'x' is not an option of THROTTLE: use MS, PEEK, QUANTITY",
	"THROTTLE k 1 1 1 1x":                  "ERR quantity '1x' is not an integer or out of range",
	"THROTTLE k -1 1 1":                    "ERR max_burst '-1' must be positive",
	"THROTTLE k -9223372036854775808 1 1":  "ERR max_burst '-9223372036854775808' must be positive",
	"THROTTLE k 1 1":                       commands.WrongArity("throttle").(commands.Error),
	"CL.WINDOW k x 60":                     "ERR limit 'x' is not an integer or out of range",
	"CL.WINDOW k -1 60":                    "ERR limit '-1' must not be negative",
	"CL.WINDOW k 1 x":                      "ERR period 'x' is not a number of seconds: 60 or 0.25, at most 9223372036, with at most nine decimals",
	"CL.WINDOW k 1 -1":                     "ERR period '-1' is not a number of seconds: 60 or 0.25, at most 9223372036, with at most nine decimals",
	"CL.WINDOW k 1 0":                      "ERR period '0' must be a whole number of milliseconds, at least one",
	"CL.WINDOW k 1 0.0005":                 "ERR period '0.0005' must be a whole number of milliseconds, at least one",
	"CL.WINDOW k 1 1.0005":                 "ERR period '1.0005' must be a whole number of milliseconds, at least one",
	"CL.WINDOW k 1 9223372036":             "ERR period '9223372036' is too long: its window would not end before the year 2262",
	"CL.WINDOW k 1 60 x":                   "ERR syntax error: 'x' is not an option of CL.WINDOW: use MS, PEEK, ALIGN, QUANTITY, CHARGE, TZ, DAY",
	"CL.WINDOW k 1 60 1.5":                 "ERR quantity '1.5' is not an integer or out of range",
	"CL.WINDOW k 1 60 9223372036854775808": "ERR quantity '9223372036854775808' is not an integer or out of range",
	"CL.WINDOW k 1 60 ALIGN ALIGN":         "ERR syntax error: 'ALIGN' repeats",
	"CL.WINDOW k 1 60 STRICT":              "ERR syntax error: 'STRICT' is not an option of CL.WINDOW: use MS, PEEK, ALIGN, QUANTITY, CHARGE, TZ, DAY",
	"CL.WINDOW k 1 60 MS 1":                "ERR syntax error: '1' is not an option of CL.WINDOW: use PEEK, ALIGN, QUANTITY, CHARGE, TZ, DAY",
	"CL.WINDOW k 1":                        commands.WrongArity("cl.window").(commands.Error),
	"CL.SLIDING k -1 60":                   "ERR limit '-1' must be from 0 to 999999999",
	"CL.SLIDING k 1000000000 60":           "ERR limit '1000000000' must be from 0 to 999999999",
	"CL.SLIDING k x 60":                    "ERR limit 'x' is not an integer or out of range",
	"CL.SLIDING k 1 0":                     "ERR period '0' must be a whole number of milliseconds, at least one",
	"CL.SLIDING k 1 0.0001":                "ERR period '0.0001' must be a whole number of milliseconds, at least one",
	"CL.SLIDING k 1 4611686019":            "ERR period '4611686019' is too long: its window would not end before the year 2262",
	"CL.SLIDING k 1 9223372036":            "ERR period '9223372036' is too long: its window would not end before the year 2262",
	"CL.SLIDING k 1 60 -1":                 "ERR quantity '-1' must not be negative",
	"CL.SLIDING k 1 60 ALIGN":              "ERR syntax error: 'ALIGN' is not an option of CL.SLIDING: use MS, PEEK, QUANTITY",
	"CL.SLIDING k 1":                       commands.WrongArity("cl.sliding").(commands.Error),
	"CL.LOG k -1 60":                       "ERR limit '-1' must not be negative",
	"CL.LOG k x 60":                        "ERR limit 'x' is not an integer or out of range",
	"CL.LOG k 1 0":                         "ERR period '0' must be positive",
	"CL.LOG k 1 x":                         "ERR period 'x' is not a number of seconds: 60 or 0.25, at most 9223372036, with at most nine decimals",
	"CL.LOG k 1 9223372036":                "ERR period '9223372036' is too long: an entry would not be forgotten before the year 2262",
	"CL.LOG k 1 60 -1":                     "ERR quantity '-1' must not be negative",
	"CL.LOG k 1 60 x":                      "ERR syntax error: 'x' is not an option of CL.LOG: use GAP, RESOLUTION, MS, PEEK, STRICT, QUANTITY",
	"CL.LOG k 99999 60 10001":              "ERR quantity '10001' is too large for one entry each: with a resolution they share one",
	"CL.LOG k 1 60 GAP":                    "ERR syntax error: 'GAP' needs a number of seconds after it",
	"CL.LOG k 1 60 GAP x":                  "ERR gap 'x' is not a number of seconds: 60 or 0.25, at most 9223372036, with at most nine decimals",
	"CL.LOG k 1 60 GAP 0":                  "ERR gap '0' must be positive",
	"CL.LOG k 1 60 GAP 61":                 "ERR gap '61' must not be negative or longer than period",
	"CL.LOG k 1 60 GAP 1 GAP 1":            "ERR syntax error: 'GAP' repeats",
	"CL.LOG k 1 60 RESOLUTION -1":          "ERR resolution '-1' is not a number of seconds: 60 or 0.25, at most 9223372036, with at most nine decimals",
	"CL.LOG k 1 60 RESOLUTION 0":           "ERR resolution '0' must be positive",
	"CL.LOG k 1 60 RESOLUTION 61":          "ERR resolution '61' must not be negative or longer than period",
	"CL.LOG k 1 60 STRICT STRICT":          "ERR syntax error: 'STRICT' repeats",
	"CL.ACQUIRE k x 1 a":                   "ERR limit 'x' is not an integer or out of range",
	"CL.ACQUIRE k 0 1 a":                   "ERR limit '0' must be positive",
	"CL.ACQUIRE k 1 x a":                   "ERR lease 'x' is not a number of seconds: 60 or 0.25, at most 9223372036, with at most nine decimals",
	"CL.ACQUIRE k 1 0 a":                   "ERR lease '0' must be at least a microsecond",
	"CL.ACQUIRE k 1 0.000000999 a":         "ERR lease '0.000000999' must be at least a microsecond",
	"CL.ACQUIRE k 1 9223372036 a":          "ERR lease '9223372036' is too long: it would not end before the year 2262",
	"CL.ACQUIRE k 1 1 a 1":                 "ERR syntax error: '1' is not an option of CL.ACQUIRE: use MS, PEEK",
	"CL.ACQUIRE k 1 1 a MS MS":             "ERR syntax error: 'MS' repeats",
	"CL.ACQUIRE k 1 1":                     commands.WrongArity("cl.acquire").(commands.Error),
	"CL.RELEASE k a b":                     commands.WrongArity("cl.release").(commands.Error),
	"CL.PACE k x 1 1":                      "ERR max_burst 'x' is not an integer or out of range",
	"CL.PACE k -1 1 1":                     "ERR max_burst '-1' must not be negative",
	"CL.PACE k 0 x 1":                      "ERR count 'x' is not an integer or out of range",
	"CL.PACE k 0 0 1":                      "ERR count '0' must be positive",
	"CL.PACE k 0 1 x":                      "ERR period 'x' is not a number of seconds: 60 or 0.25, at most 9223372036, with at most nine decimals",
	"CL.PACE k 0 1 0":                      "ERR period '0' must be positive",
	"CL.PACE k 0 2 0.000000001":            "ERR count '2' is too large for this period: less than a nanosecond between two requests",
	"CL.PACE k 9223372037 1 1":             "ERR max_burst '9223372037' is too large for this count and period: a burst would need over 292 years to come back",
	"CL.PACE k 0 1 1 -1":                   "ERR quantity '-1' must not be negative",
	"CL.PACE k 0 1 1 9223372037":           "ERR quantity '9223372037' reaches too far: the next request would not be free to go before the year 2262",
	"CL.PACE k 0 1 1 x":                    "ERR syntax error: 'x' is not an option of CL.PACE: use MAXWAIT, WARMUP, MS, PEEK, QUANTITY",
	"CL.PACE k 0 1 1 MAXWAIT":              "ERR syntax error: 'MAXWAIT' needs a number of seconds after it",
	"CL.PACE k 0 1 1 MAXWAIT x":            "ERR maxwait 'x' is not a number of seconds: 60 or 0.25, at most 9223372036, with at most nine decimals",
	"CL.PACE k 0 1 1 WARMUP -1":            "ERR warmup '-1' is not a number of seconds: 60 or 0.25, at most 9223372036, with at most nine decimals",
	"CL.PACE k 0 1 1 WARMUP 0":             "ERR warmup '0' must be positive",
	"CL.PACE k 0 1 1 WARMUP 1 WARMUP 1":    "ERR syntax error: 'WARMUP' repeats",
	"CL.PACE k 0 1 1 GAP 1":                "ERR syntax error: 'GAP' is not an option of CL.PACE: use MAXWAIT, WARMUP, MS, PEEK, QUANTITY",
	"CL.PACE k 0 1":                        commands.WrongArity("cl.pace").(commands.Error),
	"CL.LOG k 1":                           commands.WrongArity("cl.log").(commands.Error),
}

// TestLimiterArguments: an error writes nothing.
func TestLimiterArguments(t *testing.T) {
	h := servertest.New(t)
	for line, want := range badArguments {
		h.Want(line, want)
	}
	require.Zero(t, h.Store.Changes())
	for _, c := range commands.ByName() {
		if c.Group != commands.GroupLimiter || !c.HasKeys() || c.Name == "cl.release" {
			continue
		}
		named := func(line string) bool { return strings.HasPrefix(line, strings.ToUpper(c.Name)+" ") }
		elsewhere := slices.Contains([]string{"cl.mthrottle", "cl.mwindow", "cl.check", "cl.explain", "cl.mcheck", "cl.reserve", "cl.settle", "cl.lease", "cl.enter", "cl.leave", "cl.limit", "reset"}, c.Name) // they have their own tests
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
	changes := h.Store.Changes()
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
		"CL.MWINDOW 2 fresh 1 1 1 set 1 1 1":   commands.ErrWrongType,
		"CL.WINDOW set 1 60 -1":                commands.ErrWrongType,
		"CL.WINDOW text 1 60 1 CHARGE":         commands.ErrNotInteger,
		"CL.WINDOW number 1 60 -1":             errNoWindow,
	} {
		h.Want(line, want)
	}
	require.Equal(t, changes, h.Store.Changes())
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
