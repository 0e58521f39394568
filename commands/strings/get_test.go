package strings

import (
	"cellserver/commands"
	"cellserver/server/servertest"
	"testing"
)

func TestGet(t *testing.T) {
	h := servertest.New(t)
	h.Want("GET k", nil)
	h.Want("INCRBY k 41", 41)
	h.Want("GET k", "41")
	h.Want("GET", commands.Error("ERR wrong number of arguments for 'get' command"))
	h.Do("HELLO 3")
	h.Want("GET absent", nil)
}
