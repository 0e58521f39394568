package admin

import (
	"cellserver/commands"
	"cellserver/commands/commandtest"
	"testing"
)

func TestLolwut(t *testing.T) {
	h := commandtest.New(t)
	h.Want("LOLWUT", "Redis ver. 7.0.15\n")
	h.Want("LOLWUT VERSION 6", "Redis ver. 7.0.15\n")
	h.Want("LOLWUT version x", commands.ErrNotInteger)
}
