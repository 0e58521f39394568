package commands

import (
	"testing"

	"cellserver/resp/resptest"

	"github.com/stretchr/testify/require"
)

func TestReset(t *testing.T) {
	h := newHarness(t, "--requirepass", "x")
	other := h.client(t)
	other.do("AUTH x")
	h.do("HELLO 3 AUTH default x SETNAME me")
	h.do("SELECT 5")
	h.do("CLIENT TRACKING ON")
	h.do("SUBSCRIBE a")
	h.do("WATCH k")
	h.do("MULTI")
	h.want("RESET", resptest.Simple("RESET"))

	h.want("CLIENT INFO", errNoAuth)
	h.want("AUTH x", ok)
	other.want("PUBLISH a x", 0)
	info := h.do("CLIENT INFO").(string)
	for _, field := range []string{" name= ", " flags=N ", " db=0 ", " sub=0 ", " multi=-1 ", " resp=2 "} {
		require.Contains(t, info, field)
	}
	other.want("SELECT 5", ok)
	other.want("INCR k", 1)
	h.want("MULTI", ok)
	h.want("EXEC", []any{})
}
