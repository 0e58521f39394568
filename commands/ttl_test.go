package commands

import (
	"testing"
	"time"
)

func TestTTL(t *testing.T) {
	h := newHarness(t)
	h.want("TTL k", -2)
	h.want("SET k v", ok)
	h.want("TTL k", -1)
	for ms, want := range map[string]int{"1": 0, "499": 0, "500": 1, "1499": 1, "1500": 2, "9223370336854775000": 9223370336854775} {
		h.want("PEXPIRE k "+ms, 1)
		h.want("TTL k", want)
	}
	h.want("PEXPIRE k 10", 1)
	h.advance(10 * time.Millisecond)
	h.want("TTL k", 0)
	h.advance(time.Millisecond)
	h.want("TTL k", -2)
}

func TestPTTL(t *testing.T) {
	h := newHarness(t)
	h.want("PTTL k", -2)
	h.want("SET k v", ok)
	h.want("PTTL k", -1)
	h.want("PEXPIRE k 1500", 1)
	h.advance(499 * time.Millisecond)
	h.want("PTTL k", 1001)
	h.do("CL.THROTTLE t 0 3 1")
	h.want("PTTL t", 333) // a third of a second, rounded up
}

func TestExpireTime(t *testing.T) {
	h := newHarness(t)
	h.want("EXPIRETIME k", -2)
	h.want("SET k v", ok)
	h.want("EXPIRETIME k", -1)
	h.want("PEXPIREAT k 1700000010499", 1)
	h.want("EXPIRETIME k", 1700000010)
	h.want("PEXPIREAT k 1700000010500", 1)
	h.want("EXPIRETIME k", 1700000011)
}

func TestPExpireTime(t *testing.T) {
	h := newHarness(t)
	h.want("PEXPIRETIME k", -2)
	h.want("SET k v", ok)
	h.want("PEXPIRETIME k", -1)
	h.want("PEXPIRE k 5", 1)
	h.want("PEXPIRETIME k", 1700000000128)
}
