package connection

import (
	"cellserver/commands"
	"cellserver/commands/commandtest"
	"testing"
)

func TestEcho(t *testing.T) {
	h := commandtest.New(t)
	h.Want(`ECHO "a \x00b"`, "a \x00b")
	h.Want("ECHO", commands.WrongArity("echo"))
}
