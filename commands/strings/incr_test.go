package strings

import (
	"testing"

	"cellserver/commands"
	"cellserver/resp/resptest"
	"cellserver/server/servertest"
)

func TestIncr(t *testing.T) {
	h := servertest.New(t)
	h.Want("INCR k", 1)
	h.Want("PEXPIRE k 100", 1)
	h.Want("INCR k", 2)
	h.Want("PTTL k", 100)
	h.Want("SET k 9223372036854775806", ok)
	h.Want("INCR k", 9223372036854775807)
	h.Want("INCR k", errOverflow)
	h.Want("GET k", "9223372036854775807")
	for _, text := range []string{"abc", "007", "+1", "1.0", "9223372036854775808", `" 1"`, `"1 "`, `""`} {
		h.Want("SET k "+text, ok)
		h.Want("INCR k", commands.ErrNotInteger)
	}
	h.SortedSet("z", "m")
	h.Want("INCR z", commands.ErrWrongType)
}

func TestDecr(t *testing.T) {
	h := servertest.New(t)
	h.Want("DECR k", -1)
	h.Want("SET k -9223372036854775808", ok)
	h.Want("DECR k", errOverflow)
}

func TestIncrBy(t *testing.T) {
	h := servertest.New(t)
	h.Want("INCRBY k 5", 5)
	h.Want("INCRBY k -7", -2)
	h.Want("INCRBY k 0", -2)
	h.Want("INCRBY k x", commands.ErrNotInteger)
	h.Want("INCRBY k -9223372036854775808", errOverflow)
}

func TestDecrBy(t *testing.T) {
	h := servertest.New(t)
	h.Want("DECRBY k 5", -5)
	h.Want("DECRBY k -9223372036854775807", 9223372036854775802)
	h.Want("DECRBY k -9223372036854775808", resptest.Error("ERR decrement would overflow"))
	h.Want("DECRBY k -6", errOverflow)
}
