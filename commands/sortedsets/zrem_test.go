package sortedsets

import (
	"cellserver/commands"
	"cellserver/server/servertest"
	"testing"
)

func TestZRem(t *testing.T) {
	h := servertest.New(t)
	h.Do("ZADD z 1 a 2 b 3 c")
	h.Want("ZREM z a x a c", 2)
	h.Want("ZREM z b", 1)
	h.Want("GET z", nil)
	h.Want("ZREM z b", 0)
	h.Do("INCR s")
	h.Want("ZREM s a", commands.ErrWrongType)
}
