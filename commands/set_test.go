package commands

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestSet(t *testing.T) {
	h := newHarness(t)
	h.want("SET k v", ok)
	h.want("GET k", "v")
	h.want(`SET k ""`, ok)
	h.want("GET k", "")
	h.want("SET k 007", ok)
	h.want("GET k", "007")
	h.want("SET k v EX 10", ok)
	h.want("PTTL k", 10_000)
	h.want("SET k w", ok)
	h.want("PTTL k", -1)
	h.want("set k v px 1500", ok)
	h.want("SET k w KEEPTTL", ok)
	h.want("PTTL k", 1500)
	h.want("SET new v KEEPTTL", ok)
	h.want("PTTL new", -1)
	h.want("SET k v EXAT 1700000010", ok)
	h.want("PTTL k", 9877)
	h.want("SET k v PXAT 1700000000124", ok)
	h.want("PTTL k", 1)
	h.advance(2 * time.Millisecond)
	h.want("GET k", nil)
	h.want("SET k v EX 1 EX 20", ok)
	h.want("TTL k", 20)
	h.want("SET k v PXAT 1", ok)
	h.want("GET k", nil)

	h.sortedSet("z", "m")
	h.want("SET z v", ok)
	h.want("GET z", "v")
}

func TestSetConditions(t *testing.T) {
	h := newHarness(t)
	h.want("SET k v XX", nil)
	h.want("SET k v NX", ok)
	h.want("SET k w NX", nil)
	h.want("GET k", "v")
	h.want("SET k w XX EX 5", ok)
	h.want("SET k x NX EX 50", nil)
	h.want("TTL k", 5)
	h.want("SET k x GET", "w")
	h.want("SET k y NX GET", "x")
	h.want("GET k", "x")
	h.want("SET k y XX GET", "x")
	h.want("GET k", "y")
	h.want("SET new v XX GET", nil)
	h.want("EXISTS new", 0)
	h.want("SET new v NX GET", nil)
	h.want("GET new", "v")
	h.sortedSet("z", "m")
	h.want("SET z v GET", errWrongType)
	h.want("TYPE z", typeOf("zset"))
}

func TestSetErrors(t *testing.T) {
	h := newHarness(t)
	for _, options := range []string{
		"NX XX", "XX NX", "EX", "EX 1 PX 1", "PXAT 1 EX 1", "KEEPTTL EX 1", "EX 1 KEEPTTL", "PERSIST", "EX 1 2", "NX XX EX abc",
	} {
		h.want("SET k v "+options, errSyntax)
	}
	for _, options := range []string{"EX 0", "PX -1", "EXAT 0", "PXAT -5", "EX 9223372036854775807", "PX 9223372036854775807", "NX EX 9300000000000000"} {
		h.want("SET k v "+options, invalidExpire("set").(Error))
	}
	h.want("SET k v EX 1.5", errNotInteger)
	h.want("SET k", wrongArity("set").(Error))
	h.want("EXISTS k", 0)
	h.want("SET k v EXAT 9223372036854775", ok)
	h.want("PEXPIRETIME k", 9223372036854775000)
}

func TestSetNX(t *testing.T) {
	h := newHarness(t)
	h.want("SETNX k 1", 1)
	h.want("SETNX k 2", 0)
	h.want("GET k", "1")
	h.want("PEXPIRE k 1", 1)
	h.advance(2 * time.Millisecond)
	h.want("SETNX k 3", 1)
	h.want("PTTL k", -1)
	h.sortedSet("z", "m")
	h.want("SETNX z v", 0)
}

func TestSetEX(t *testing.T) {
	h := newHarness(t)
	h.want("SETEX k 10 v", ok)
	h.want("PTTL k", 10_000)
	h.want("SETEX k 0 w", invalidExpire("setex").(Error))
	h.want("SETEX k 9223372036854776 w", invalidExpire("setex").(Error))
	h.want("SETEX k x w", errNotInteger)
	h.want("GET k", "v")
}

func TestPSetEX(t *testing.T) {
	h := newHarness(t)
	h.want("PSETEX k 10 v", ok)
	h.want("PTTL k", 10)
	h.want("PSETEX k -1 w", invalidExpire("psetex").(Error))
	h.want("PSETEX k 9223372036854775807 w", invalidExpire("psetex").(Error))
	h.want("GET k", "v")
}

// The hot path allocates nothing but the string that is stored.
func TestHotPathAllocations(t *testing.T) {
	h := newHarness(t)
	h.want("SET k value", ok)
	h.want("SET n 1", ok)
	for _, call := range []struct {
		allocs float64
		args   []string
	}{
		{0, []string{"GET", "k"}}, {0, []string{"GET", "n"}}, {1, []string{"SET", "k", "another"}}, {0, []string{"SET", "n", "12"}},
		{0, []string{"SET", "n", "12", "PX", "1000"}}, {0, []string{"INCR", "n"}}, {0, []string{"EXISTS", "k"}}, {0, []string{"EXPIRE", "n", "100"}}, {0, []string{"TTL", "n"}},
	} {
		args := make([][]byte, len(call.args))
		for i, a := range call.args {
			args[i] = []byte(a)
		}
		w := h.session.Writer()
		h.state.Begin()
		allocs := testing.AllocsPerRun(100, func() {
			h.state.Handle(args, w)
			w.Reset()
		})
		h.state.End()
		require.LessOrEqual(t, allocs, call.allocs, "%v", call.args)
	}
}
