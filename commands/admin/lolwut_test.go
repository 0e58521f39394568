package admin

import (
	"cellserver/commands"
	"cellserver/server/servertest"
	"testing"
)

func TestLolwut(t *testing.T) {
	h := servertest.New(t)
	h.Want("LOLWUT", "Redis ver. 7.0.15\n")
	h.Want("LOLWUT VERSION 6", "Redis ver. 7.0.15\n")
	h.Want("LOLWUT version x", commands.ErrNotInteger)
}
