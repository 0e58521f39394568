package keys

import (
	"cellserver/server/servertest"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestKeys(t *testing.T) {
	h := servertest.New(t)
	h.Want("KEYS *", []any{})
	h.Do("MSET", "", "0", "one", "1", "two", "2", "three", "3", "o*", "4")
	h.Want("SET gone 5 PX 1", ok)
	h.Advance(2 * time.Millisecond)
	for pattern, want := range map[string][]any{
		"*": {"", "one", "two", "three", "o*"}, "**": {"one", "two", "three", "o*"}, "": {""}, "t*": {"two", "three"},
		`o\*`: {"o*"}, "[^t]*e": {"one"}, "?????": {"three"}, "gone": {},
	} {
		require.ElementsMatch(t, want, h.Do("KEYS", pattern), pattern)
	}
}
