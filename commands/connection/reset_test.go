package connection

import (
	"testing"

	"cellserver/commands"
	"cellserver/resp/resptest"
	"cellserver/server/servertest"

	"github.com/stretchr/testify/require"
)

func TestReset(t *testing.T) {
	h := servertest.New(t, "--requirepass", "x")
	other := h.NewClient(t)
	other.Do("AUTH x")
	h.Do("HELLO 3 AUTH default x SETNAME me")
	h.Do("SELECT 5")
	h.Do("CLIENT TRACKING ON")
	h.Do("SUBSCRIBE a")
	h.Do("WATCH k")
	h.Do("MULTI")
	h.Want("RESET", resptest.Simple("RESET"))

	h.Want("CLIENT INFO", commands.ErrNoAuth)
	h.Want("AUTH x", ok)
	other.Want("PUBLISH a x", 0)
	info := h.Do("CLIENT INFO").(string)
	for _, field := range []string{" name= ", " flags=N ", " db=0 ", " sub=0 ", " multi=-1 ", " resp=2 "} {
		require.Contains(t, info, field)
	}
	other.Want("SELECT 5", ok)
	other.Want("INCR k", 1)
	h.Want("MULTI", ok)
	h.Want("EXEC", []any{})
}
