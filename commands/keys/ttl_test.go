package keys

import (
	"cellserver/server/servertest"
	"testing"
	"time"
)

func TestTTL(t *testing.T) {
	h := servertest.New(t)
	h.Want("TTL k", -2)
	h.Want("SET k v", ok)
	h.Want("TTL k", -1)
	for ms, want := range map[string]int{"1": 0, "499": 0, "500": 1, "1499": 1, "1500": 2, "9223370336854775000": 9223370336854775} {
		h.Want("PEXPIRE k "+ms, 1)
		h.Want("TTL k", want)
	}
	h.Want("PEXPIRE k 10", 1)
	h.Advance(10 * time.Millisecond)
	h.Want("TTL k", 0)
	h.Advance(time.Millisecond)
	h.Want("TTL k", -2)
}

func TestPTTL(t *testing.T) {
	h := servertest.New(t)
	h.Want("PTTL k", -2)
	h.Want("SET k v", ok)
	h.Want("PTTL k", -1)
	h.Want("PEXPIRE k 1500", 1)
	h.Advance(499 * time.Millisecond)
	h.Want("PTTL k", 1001)
	h.Do("CL.THROTTLE t 0 3 1")
	h.Want("PTTL t", 333) // the interval is a third of a second; the expiry is rounded up
}

func TestExpireTime(t *testing.T) {
	h := servertest.New(t)
	h.Want("EXPIRETIME k", -2)
	h.Want("SET k v", ok)
	h.Want("EXPIRETIME k", -1)
	h.Want("PEXPIREAT k 1700000010499", 1)
	h.Want("EXPIRETIME k", 1700000010)
	h.Want("PEXPIREAT k 1700000010500", 1)
	h.Want("EXPIRETIME k", 1700000011)
}

func TestPExpireTime(t *testing.T) {
	h := servertest.New(t)
	h.Want("PEXPIRETIME k", -2)
	h.Want("SET k v", ok)
	h.Want("PEXPIRETIME k", -1)
	h.Want("PEXPIRE k 5", 1)
	h.Want("PEXPIRETIME k", 1700000000128)
}
