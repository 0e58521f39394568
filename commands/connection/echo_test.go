package connection

import (
	"cellserver/commands"
	"cellserver/server/servertest"
	"testing"
)

func TestEcho(t *testing.T) {
	h := servertest.New(t)
	h.Want(`ECHO "a \x00b"`, "a \x00b")
	h.Want("ECHO", commands.WrongArity("echo"))
}
