package commands

import "testing"

func TestEcho(t *testing.T) {
	h := newHarness(t)
	h.want(`ECHO "a \x00b"`, "a \x00b")
	h.want("ECHO", wrongArity("echo"))
}
