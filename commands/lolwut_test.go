package commands

import "testing"

func TestLolwut(t *testing.T) {
	h := newHarness(t)
	h.want("LOLWUT", "Redis ver. 7.0.15\n")
	h.want("LOLWUT VERSION 6", "Redis ver. 7.0.15\n")
	h.want("LOLWUT version x", errNotInteger)
}
