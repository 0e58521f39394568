package connection

import (
	"cellserver/commands"
	"cellserver/server/servertest"
	"testing"
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
