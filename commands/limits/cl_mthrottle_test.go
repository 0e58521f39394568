package limits

import (
	"cellserver/commands"
	"cellserver/server/servertest"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// TestClMthrottle: a request counts in all of its limits or in none.
func TestClMthrottle(t *testing.T) {
	h := servertest.New(t)
	const both = "CL.MTHROTTLE 2 ip 1 60 60 user 4 5 3600 "
	h.Want(both, []any{0, -1, []any{0, 2, 1, -1, 1}, []any{0, 5, 4, -1, 720}})
	h.Want(both+"QUANTITY 2", []any{1, 0, []any{1, 2, 1, 1, 1}, []any{0, 5, 4, -1, 720}})
	h.Want(both+"ms peek", []any{0, -1, []any{0, 2, 0, -1, 2000}, []any{0, 5, 3, -1, 1440000}})
	h.Want(both, []any{0, -1, []any{0, 2, 0, -1, 2}, []any{0, 5, 3, -1, 1440}})
	h.Want(both, []any{1, 0, []any{1, 2, 0, 1, 2}, []any{0, 5, 3, -1, 1440}})
	h.Advance(time.Minute)
	h.Want(both+"QUANTITY 4", []any{1, 0, []any{1, 2, 2, -1, 0}, []any{1, 5, 3, 660, 1380}})
	h.Want("CL.MTHROTTLE 2 a 9 1 1 user 4 5 3600 QUANTITY 4", []any{1, 1, []any{0, 10, 10, -1, 0}, []any{1, 5, 3, 660, 1380}})
	h.Want("EXISTS a", 0)
	h.Want("COMMAND GETKEYS CL.MTHROTTLE 2 a 1 1 1 b 1 1 1 PEEK", []string{"a", "b"})
}

func TestClMthrottleErrors(t *testing.T) {
	h := servertest.New(t)
	for line, want := range map[string]commands.Error{
		"0 a 1 1 1":                     errLimits,
		"-1 a 1 1 1":                    errLimits,
		"x a 1 1 1":                     errLimits,
		"2 a 1 1 1":                     errLimits,
		"2 a 1 1 1 b 1 1":               errLimits,
		"9223372036854775807 a 1 1 1":   errLimits,
		"1 a 1 1 1 1":                   "ERR syntax error: '1' is not an option of CL.MTHROTTLE: use MS, PEEK, QUANTITY",
		"1 a 1 1 1 QUANTITY":            "ERR syntax error: 'QUANTITY' needs an integer after it",
		"1 a 1 1 1 QUANTITY 1 QUANTITY": "ERR syntax error: 'QUANTITY' repeats",
		"1 a 1 1 1 QUANTITY x":          "ERR quantity 'x' is not an integer or out of range",
		"2 a 1 1 1 b x 1 1":             "ERR max_burst 'x' is not an integer or out of range",
		"2 a 1 1 1 b 1 0 1":             "ERR count '0' must be positive",
		"2 a 1 1 1 a 1 1 1":             errSameKey,
		"2 a 1 1 1 z 1 1 1":             commands.ErrWrongType,
	} {
		h.SortedSet("z", "m")
		h.Want("CL.MTHROTTLE "+line, want)
		h.Want("EXISTS a b", 0)
	}
}

func TestClMthrottleIsCounted(t *testing.T) {
	h := servertest.New(t)
	h.Do("CL.MTHROTTLE 2 a 0 1 60 b 0 1 60")
	h.Do("CL.MTHROTTLE 2 a 0 1 60 b 0 1 60")
	h.Do("CL.MTHROTTLE 2 a 0 1 60 c 0 1 60")
	h.Do("CL.MTHROTTLE 2 a 0 1 60 b 0 1 60 PEEK")
	h.Do("CL.MTHROTTLE 2 a 0 1 60 b 0 1 60 QUANTITY 0")
	require.Equal(t, "allowed=1,limited=2,looked=2", h.Info("throttle")["limiter_cl.mthrottle"])
	h.Want("CL.TOP", []any{[]any{"a", 2, 0}, []any{"b", 1, 0}})
}
