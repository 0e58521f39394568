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
		"":                       ErrNoLimiter,
		"GET":                    ErrNoLimiter,
		"CL.NOSUCH 1 1":          ErrNoLimiter,
		"CL.WINDOW":              rediserr.WrongArity("cl.window").(rediserr.Error),
		"CL.WINDOW 1":            rediserr.WrongArity("cl.window").(rediserr.Error),
		"CL.WINDOW 1 1 1":        rediserr.Syntax, // a rule has no quantity
		"CL.WINDOW 1 1 MS":       rediserr.Syntax,
		"CL.WINDOW 1 1 PEEK":     rediserr.Syntax,
		"CL.WINDOW 0 1":          "ERR limit must be positive",
		"CL.THROTTLE 1 1":        ErrThrottleUsage,
		"CL.THROTTLE 1 1 1 1":    ErrThrottleUsage,
		"CL.THROTTLE 1 1 1 PEEK": rediserr.Syntax,
		"CL.THROTTLE -1 1 1":     "ERR max_burst must not be negative",
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
			l.Find(&e, tx, []byte(key))
			require.NoError(t, l.Decide(&e, &a, now, 2))
			require.False(t, a.Limited || e.Exists(), "deciding writes nothing")
			l.Apply(&e, &a, now)
			require.NoError(t, l.Decide(&e, &a, now, 1))
			require.True(t, a.Limited && !a.Changed, line)
		}()
	}
}
