package admin

import (
	"cellserver/commands"
	"cellserver/server/servertest"
	"testing"
)

func TestTime(t *testing.T) {
	h := servertest.New(t)
	h.Want("TIME", []string{"1700000000", "123456"})
	h.At(5_000_000_999)
	h.Want("TIME", []string{"5", "0"})
	h.Want("TIME now", commands.WrongArity("time").(commands.Error))
}
