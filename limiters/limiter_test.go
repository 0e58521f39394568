package limiters

import (
	"bytes"
	"strings"
	"testing"

	"cellserver/internal/rediserr"
	"cellserver/store"

	"github.com/stretchr/testify/require"
)

func words(line string) [][]byte { return bytes.Fields([]byte(line)) }

// TestParse parses a limiter as a rule names it, decides and applies.
func TestParse(t *testing.T) {
	const now = 1_700_000_000_123_456_789
	keys := store.New(store.Options{Databases: 1, Seed: 1})
	for line, want := range map[string]rediserr.Error{
		"":                       "ERR a limiter is missing: " + useLimiters,
		"100/minute":             "ERR '100/minute' is not a limiter of a rule: " + useLimiters,
		"CL.ACQUIRE 5 60":        "ERR 'CL.ACQUIRE' is not a limiter of a rule: " + useLimiters,
		"CL.WINDOW":              "ERR limit is missing in CL.WINDOW",
		"CL.WINDOW 1":            "ERR period is missing in CL.WINDOW",
		"CL.WINDOW 1 1m":         "ERR period '1m'" + notSeconds,
		"CL.WINDOW 1 1 1":        "ERR syntax error: '1' is not an option of CL.WINDOW in a rule: use ALIGN, TZ, DAY", // a rule has no quantity
		"CL.WINDOW 1 1 ALIGN MS": "ERR ALIGN 'MS': use day, week, month, year, or no word for multiples of the period",
		"CL.LOG 1 1 STRICT PEEK": "ERR syntax error: 'PEEK' is not an option of CL.LOG in a rule: use GAP, RESOLUTION",
		"CL.WINDOW -1 1":         "ERR limit '-1' must not be negative",
		"CL.THROTTLE 1 1":        "ERR period is missing in CL.THROTTLE",
		"CL.THROTTLE 1 1 1m":     "ERR period '1m' is not a whole number of seconds, such as 60, or out of range",
		"CL.THROTTLE x 1 1":      "ERR max_burst 'x' is not an integer or out of range",
		"CL.THROTTLE 1 1 1 1":    "ERR syntax error: '1' is a word too much after CL.THROTTLE in a rule",
		"CL.THROTTLE 1 1 1 PEEK": "ERR syntax error: 'PEEK' is a word too much after CL.THROTTLE in a rule",
		"CL.THROTTLE -1 1 1":     "ERR max_burst '-1' must not be negative: BLOCK refuses every action",
		"CL.THROTTLE 1 0 1":      "ERR count '0' must be positive: BLOCK refuses every action",
		"CL.THROTTLE 1 1 0":      "ERR period '0' must be positive",
		"CL.THROTTLE 1 2000000000 1": "ERR count '2000000000' is too large for this period: " +
			"less than a nanosecond between two requests",
	} {
		l, err := Parse(words(line))
		require.Nil(t, l, line)
		require.Equal(t, want, err, line)
	}
	for i, line := range []string{"CL.WINDOW 2 60 ALIGN", "cl.throttle 1 1 60"} {
		l, err := Parse(words(line))
		require.NoError(t, err, line)
		key := strings.Repeat("k", 1+i)
		func() {
			var fp store.Footprint
			fp.AddKey([]byte(key))
			tx := keys.NewTx()
			tx.Begin(now, 0, &fp)
			defer tx.End()
			var e store.Entry
			var a Answer
			tx.FindIn(&e, []byte(key), l.KeepsTAT())
			require.NoError(t, l.Decide(&e, &a, now, 2))
			require.False(t, a.Limited || e.Exists(), "deciding writes nothing")
			l.Apply(&e, &a, now)
			require.NoError(t, l.Decide(&e, &a, now, 1))
			require.True(t, a.Limited && !a.Changed, line)
		}()
	}
}
