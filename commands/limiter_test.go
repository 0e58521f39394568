package commands

import (
	"bytes"
	"strings"
	"testing"

	"cellserver/store"

	"github.com/stretchr/testify/require"
)

func words(line string) [][]byte { return bytes.Fields([]byte(line)) }

// TestParseLimit is how a rule names its limits, and decides and applies them.
func TestParseLimit(t *testing.T) {
	h := newHarness(t)
	for line, want := range map[string]Error{
		"":                       errNoLimiter,
		"GET":                    errNoLimiter,
		"CL.NOSUCH 1 1":          errNoLimiter,
		"CL.WINDOW":              wrongArity("cl.window").(Error),
		"CL.WINDOW 1":            wrongArity("cl.window").(Error),
		"CL.WINDOW 1 1 1":        errSyntax, // that would be a quantity
		"CL.WINDOW 1 1 MS":       errSyntax,
		"CL.WINDOW 1 1 PEEK":     errSyntax,
		"CL.WINDOW 0 1":          "ERR limit must be positive",
		"CL.THROTTLE 1 1":        throttleUsage,
		"CL.THROTTLE 1 1 1 1":    throttleUsage,
		"CL.THROTTLE 1 1 1 PEEK": errSyntax,
		"CL.THROTTLE -1 1 1":     "ERR max_burst must not be negative",
	} {
		l, err := parseLimit(words(line))
		require.Nil(t, l, line)
		require.Equal(t, want, err, line)
	}
	for i, line := range []string{"CL.WINDOW 2 60 ALIGN", "cl.throttle 1 1 60"} {
		l, err := parseLimit(words(line))
		require.NoError(t, err, line)
		key := strings.Repeat("k", 1+i)
		h.transact(key, func(c *Call) {
			var e store.Entry
			var a answer
			l.find(&e, c.Tx, []byte(key))
			require.NoError(t, l.decide(&e, &a, c.Now, 2))
			require.False(t, a.limited || e.Exists(), "deciding writes nothing")
			l.apply(&e, &a, c.Now)
			require.NoError(t, l.decide(&e, &a, c.Now, 1))
			require.True(t, a.limited && !a.changed, line)
		})
	}
}
