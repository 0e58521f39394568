package keys

import (
	"cellserver/commands"
	"cellserver/server/servertest"
	"strings"
	"testing"
	"time"
)

func TestExpire(t *testing.T) {
	h := servertest.New(t)
	h.Want("EXPIRE k 10", 0)
	h.Want("SET k v", ok)
	h.Want("EXPIRE k 10", 1)
	h.Want("PTTL k", 10_000)
	h.Advance(10*time.Second + time.Millisecond)
	h.Want("GET k", nil)
	for _, past := range []string{"0", "-1", "-9223372036854775"} {
		h.Want("SET k v", ok)
		h.Want("EXPIRE k "+past, 1)
		h.Want("EXISTS k", 0)
	}
	h.Want("EXPIRE k 9223372036854776", commands.InvalidExpire("expire").(commands.Error))
	h.Want("EXPIRE k -9223372036854776", commands.InvalidExpire("expire").(commands.Error))
	h.Want("EXPIRE k 9223372036854775", commands.InvalidExpire("expire").(commands.Error)) // the sum in milliseconds overflows
	h.Want("EXPIRE k 1.5", commands.ErrNotInteger)
	h.Want("EXPIRE k", commands.WrongArity("expire").(commands.Error))
}

func TestPExpire(t *testing.T) {
	h := servertest.New(t)
	h.Want("SET k v", ok)
	h.Want("PEXPIRE k 15", 1)
	h.Want("PTTL k", 15)
	h.Want("PEXPIRE k 9223372036854775807", commands.InvalidExpire("pexpire").(commands.Error))
	h.Want("PEXPIRE k -9223372036854775808", 1)
	h.Want("EXISTS k", 0)
}

func TestExpireAt(t *testing.T) {
	h := servertest.New(t)
	h.Want("SET k v", ok)
	h.Want("EXPIREAT k 1700000001", 1)
	h.Want("PTTL k", 877)
	h.Want("EXPIREAT k 9223372036854776", commands.InvalidExpire("expireat").(commands.Error))
	h.Want("EXPIREAT k 1700000000", 1)
	h.Want("EXISTS k", 0)
}

func TestPExpireAt(t *testing.T) {
	h := servertest.New(t)
	h.Want("SET k v", ok)
	h.Want("PEXPIREAT k 9223372036854775807", 1)
	h.Want("PEXPIRETIME k", 9223372036854775807)
	h.Want("PEXPIREAT k 1700000000124", 1)
	h.Want("PTTL k", 1)
	h.Want("PEXPIREAT k 1700000000123", 1)
	h.Want("EXISTS k", 0)
}

// TestExpireOptions tries every option on a key without expiry, and on a key that expires in 100
// ms.
func TestExpireOptions(t *testing.T) {
	h := servertest.New(t)
	for _, c := range []struct {
		options           string
		stays, less, more int // replies for a key that stays, and for 50 and 150 ms where there were 100
	}{
		{"NX", 1, 0, 0}, {"XX", 0, 1, 1}, {"GT", 0, 0, 1}, {"LT", 1, 1, 0},
		{"XX GT", 0, 0, 1}, {"xx lt", 0, 1, 0}, {"GT GT", 0, 0, 1},
	} {
		h.Want("SET k v", ok)
		h.Want("PEXPIRE k 100 "+c.options, c.stays)
		h.Want("SET k v PX 100", ok)
		h.Want("PEXPIRE k 100 "+c.options, map[bool]int{true: 1}[strings.EqualFold(c.options, "XX")])
		h.Want("PEXPIRE k 50 "+c.options, c.less)
		h.Want("SET k v PX 100", ok)
		h.Want("PEXPIRE k 150 "+c.options, c.more)
	}
	for _, options := range []string{"NX XX", "GT NX", "LT NX", "XX GT NX"} {
		h.Want("EXPIRE k x "+options, errExpireNX)
	}
	h.Want("EXPIRE k x GT LT", errExpireGTLT)
	h.Want("EXPIRE k x AB NX XX", commands.Error("ERR Unsupported option AB"))
}

func TestExpireThrottleKey(t *testing.T) {
	h := servertest.New(t)
	h.Do("CL.THROTTLE t 5 1 10")
	h.Want("EXPIRE t 60 GT", 1)
	h.Want("PTTL t", 60_000)
}
