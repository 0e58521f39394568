package commands

import (
	"strings"
	"testing"
	"time"
)

func TestExpire(t *testing.T) {
	h := newHarness(t)
	h.want("EXPIRE k 10", 0)
	h.want("SET k v", ok)
	h.want("EXPIRE k 10", 1)
	h.want("PTTL k", 10_000)
	h.advance(10*time.Second + time.Millisecond)
	h.want("GET k", nil)
	for _, past := range []string{"0", "-1", "-9223372036854775"} {
		h.want("SET k v", ok)
		h.want("EXPIRE k "+past, 1)
		h.want("EXISTS k", 0)
	}
	h.want("EXPIRE k 9223372036854776", invalidExpire("expire").(Error))
	h.want("EXPIRE k -9223372036854776", invalidExpire("expire").(Error))
	h.want("EXPIRE k 9223372036854775", invalidExpire("expire").(Error)) // in milliseconds from now it overflows
	h.want("EXPIRE k 1.5", errNotInteger)
	h.want("EXPIRE k", wrongArity("expire").(Error))
}

func TestPExpire(t *testing.T) {
	h := newHarness(t)
	h.want("SET k v", ok)
	h.want("PEXPIRE k 15", 1)
	h.want("PTTL k", 15)
	h.want("PEXPIRE k 9223372036854775807", invalidExpire("pexpire").(Error))
	h.want("PEXPIRE k -9223372036854775808", 1)
	h.want("EXISTS k", 0)
}

func TestExpireAt(t *testing.T) {
	h := newHarness(t)
	h.want("SET k v", ok)
	h.want("EXPIREAT k 1700000001", 1)
	h.want("PTTL k", 877)
	h.want("EXPIREAT k 9223372036854776", invalidExpire("expireat").(Error))
	h.want("EXPIREAT k 1700000000", 1)
	h.want("EXISTS k", 0)
}

func TestPExpireAt(t *testing.T) {
	h := newHarness(t)
	h.want("SET k v", ok)
	h.want("PEXPIREAT k 9223372036854775807", 1)
	h.want("PEXPIRETIME k", 9223372036854775807)
	h.want("PEXPIREAT k 1700000000124", 1)
	h.want("PTTL k", 1)
	h.want("PEXPIREAT k 1700000000123", 1)
	h.want("EXISTS k", 0)
}

// Every option against a key that stays, and against one that has 100 ms.
func TestExpireOptions(t *testing.T) {
	h := newHarness(t)
	for _, c := range []struct {
		options           string
		stays, less, more int // replies for a key that stays, and for 50 and 150 ms where there were 100
	}{
		{"NX", 1, 0, 0}, {"XX", 0, 1, 1}, {"GT", 0, 0, 1}, {"LT", 1, 1, 0},
		{"XX GT", 0, 0, 1}, {"xx lt", 0, 1, 0}, {"GT GT", 0, 0, 1},
	} {
		h.want("SET k v", ok)
		h.want("PEXPIRE k 100 "+c.options, c.stays)
		h.want("SET k v PX 100", ok)
		h.want("PEXPIRE k 100 "+c.options, map[bool]int{true: 1}[strings.EqualFold(c.options, "XX")])
		h.want("PEXPIRE k 50 "+c.options, c.less)
		h.want("SET k v PX 100", ok)
		h.want("PEXPIRE k 150 "+c.options, c.more)
	}
	for _, options := range []string{"NX XX", "GT NX", "LT NX", "XX GT NX"} {
		h.want("EXPIRE k x "+options, errExpireNX)
	}
	h.want("EXPIRE k x GT LT", errExpireGTLT)
	h.want("EXPIRE k x AB NX XX", Error("ERR Unsupported option AB"))
}

func TestExpireThrottleKey(t *testing.T) {
	h := newHarness(t)
	h.do("CL.THROTTLE t 5 1 10")
	h.want("EXPIRE t 60 GT", 1)
	h.want("PTTL t", 60_000)
}
