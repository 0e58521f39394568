package connection

import (
	"fmt"
	"testing"
	"time"

	"cellserver/commands"
	"cellserver/resp/resptest"
	"cellserver/server/servertest"

	"github.com/stretchr/testify/require"
)

func TestAuth(t *testing.T) {
	h := servertest.New(t, "--requirepass", "secret")
	h.Want("GET k", commands.ErrNoAuth)
	h.Want("AUTH", commands.WrongArity("auth"))
	h.Want("AUTH a b c", commands.ErrSyntax)
	h.Want("AUTH wrong", errWrongPass)
	h.Want("AUTH default wrong", errWrongPass)
	h.Want("AUTH somebody secret", errWrongPass)
	h.Want("GET k", commands.ErrNoAuth)
	h.Want("AUTH default secret", ok)
	h.Want("GET k", nil)
	h.Want("AUTH wrong", errWrongPass)
	h.Want("GET k", nil)
}

func TestAuthWithoutAPassword(t *testing.T) {
	h := servertest.New(t)
	h.Want("AUTH any", errNoPass)
	h.Want("AUTH default any", ok)
	h.Want("AUTH somebody any", errWrongPass)
}

func TestFailedAttemptsAreLimited(t *testing.T) {
	h := servertest.New(t, "--requirepass", "sec", "--auth-fail-limit", "3 60")
	guess := h.NewClient(t)
	guess.Want("AUTH a", errWrongPass)
	guess.Want("HELLO 3 AUTH bob b", errWrongPass)
	guess.Want("AUTH c", errWrongPass)
	limited := commands.Error("ERR too many failed attempts to authenticate from this address: try again in 20 seconds")
	guess.Want("AUTH d", limited)
	guess.Want("AUTH sec", limited)
	guess.Want("HELLO 3 AUTH default sec", limited)
	h.Advance(20 * time.Second)
	h.Want("AUTH sec", ok)
	require.Equal(t, "3", h.Info("cellserver")["auth_failures"])
	require.Equal(t, "3", h.Info("cellserver")["auth_limited"])
	guess.Want("AUTH e", errWrongPass)
	guess.Want("AUTH f", limited)
	h.Want("CONFIG SET auth-fail-limit \"0 0\"", ok)
	guess.Want("AUTH f", errWrongPass)
	for _, wrong := range []string{"1", "1 0", "-1 5", "x 5", "1000001 1", "1 2 3"} {
		require.IsType(t, resptest.Error(""), h.Do("CONFIG", "SET", "auth-fail-limit", wrong), wrong)
	}
	h.Want("CONFIG SET auth-fail-limit \"5 30\"", ok)
	h.Want("CONFIG GET auth-fail-limit", []string{"auth-fail-limit", "5 30"})
}

// TestAnOldPasswordLocksNobodyOut: one client of the host keeps an old password, and another one guesses.
func TestAnOldPasswordLocksNobodyOut(t *testing.T) {
	h := servertest.New(t, "--requirepass", "sec", "--auth-fail-limit", "3 60")
	owner, old, guess := h.NewClient(t), h.NewClient(t), h.NewClient(t)
	for range 100 {
		old.Want("AUTH old", errWrongPass)
		old.Want("HELLO 2 AUTH default old", errWrongPass)
	}
	owner.Want("AUTH sec", ok)
	guess.Want("AUTH a", errWrongPass)
	guess.Want("AUTH b", errWrongPass)
	for i := range 1000 {
		require.Contains(t, guess.Do(fmt.Sprint("AUTH c", i)), "too many failed attempts")
	}
	old.Want("AUTH old", errWrongPass)
	again := h.NewClient(t)
	again.Want("GET k", commands.ErrNoAuth)
	again.Want("AUTH sec", ok)
	again.Want("HELLO 2 AUTH default sec", again.Do("HELLO"))
	again.Want("GET k", nil)
	guess.Want("AUTH other sec", commands.Error("ERR too many failed attempts to authenticate from this address: try again in 20 seconds"))
}
