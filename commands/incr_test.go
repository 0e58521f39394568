package commands

import (
	"testing"

	"cellserver/resp/resptest"
)

func TestIncr(t *testing.T) {
	h := newHarness(t)
	h.want("INCR k", 1)
	h.want("PEXPIRE k 100", 1)
	h.want("INCR k", 2)
	h.want("PTTL k", 100)
	h.want("SET k 9223372036854775806", ok)
	h.want("INCR k", 9223372036854775807)
	h.want("INCR k", errOverflow)
	h.want("GET k", "9223372036854775807")
	for _, text := range []string{"abc", "007", "+1", "1.0", "9223372036854775808", `" 1"`, `"1 "`, `""`} {
		h.want("SET k "+text, ok)
		h.want("INCR k", errNotInteger)
	}
	h.sortedSet("z", "m")
	h.want("INCR z", errWrongType)
}

func TestDecr(t *testing.T) {
	h := newHarness(t)
	h.want("DECR k", -1)
	h.want("SET k -9223372036854775808", ok)
	h.want("DECR k", errOverflow)
}

func TestIncrBy(t *testing.T) {
	h := newHarness(t)
	h.want("INCRBY k 5", 5)
	h.want("INCRBY k -7", -2)
	h.want("INCRBY k 0", -2)
	h.want("INCRBY k x", errNotInteger)
	h.want("INCRBY k -9223372036854775808", errOverflow)
}

func TestDecrBy(t *testing.T) {
	h := newHarness(t)
	h.want("DECRBY k 5", -5)
	h.want("DECRBY k -9223372036854775807", 9223372036854775802)
	h.want("DECRBY k -9223372036854775808", resptest.Error("ERR decrement would overflow"))
	h.want("DECRBY k -6", errOverflow)
}
