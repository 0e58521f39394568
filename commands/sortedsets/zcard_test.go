package sortedsets

import (
	"cellserver/commands"
	"cellserver/server/servertest"
	"testing"
)

func TestZCard(t *testing.T) {
	h := servertest.New(t)
	h.Want("ZCARD z", 0)
	h.Do("ZADD z 1 a 2 b")
	h.Want("ZCARD z", 2)
	h.Do("INCR s")
	h.Want("ZCARD s", commands.ErrWrongType)
}
