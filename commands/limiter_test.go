package commands

import (
	"bytes"
	"strings"
	"testing"

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
			e := l.entry(c.Tx, []byte(key))
			a, err := l.decide(&e, c.Now, 2)
			require.NoError(t, err)
			require.False(t, a.limited || e.Exists(), "deciding writes nothing")
			l.apply(&e, &a, c.Now)
			a, err = l.decide(&e, c.Now, 1)
			require.NoError(t, err)
			require.True(t, a.limited && !a.changed, line)
		})
	}
}
