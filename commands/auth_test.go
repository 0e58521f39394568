package commands

import "testing"

func TestAuth(t *testing.T) {
	h := newHarness(t, "--requirepass", "secret")
	h.want("GET k", errNoAuth)
	h.want("AUTH", wrongArity("auth"))
	h.want("AUTH a b c", errSyntax)
	h.want("AUTH wrong", errWrongPass)
	h.want("AUTH default wrong", errWrongPass)
	h.want("AUTH somebody secret", errWrongPass)
	h.want("GET k", errNoAuth)
	h.want("AUTH default secret", ok)
	h.want("GET k", nil)
	h.want("AUTH wrong", errWrongPass)
	h.want("GET k", nil)
}

func TestAuthWithoutAPassword(t *testing.T) {
	h := newHarness(t)
	h.want("AUTH any", errNoPass)
	h.want("AUTH default any", ok)
	h.want("AUTH somebody any", errWrongPass)
}
