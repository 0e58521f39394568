package strings

import (
	"cellserver/commands"
	"cellserver/commands/commandtest"
	"testing"
)

func TestGet(t *testing.T) {
	h := commandtest.New(t)
	h.Want("GET k", nil)
	h.Want("INCRBY k 41", 41)
	h.Want("GET k", "41")
	h.Want("GET", commands.Error("ERR wrong number of arguments for 'get' command"))
	h.Do("HELLO 3")
	h.Want("GET absent", nil)
}
