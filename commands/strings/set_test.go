package strings

import (
	"cellserver/commands"
	"cellserver/server/servertest"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestSet(t *testing.T) {
	h := servertest.New(t)
	h.Want("SET k v", ok)
	h.Want("GET k", "v")
	h.Want(`SET k ""`, ok)
	h.Want("GET k", "")
	h.Want("SET k 007", ok)
	h.Want("GET k", "007")
	h.Want("SET k v EX 10", ok)
	h.Want("PTTL k", 10_000)
	h.Want("SET k w", ok)
	h.Want("PTTL k", -1)
	h.Want("set k v px 1500", ok)
	h.Want("SET k w KEEPTTL", ok)
	h.Want("PTTL k", 1500)
	h.Want("SET new v KEEPTTL", ok)
	h.Want("PTTL new", -1)
	h.Want("SET k v EXAT 1700000010", ok)
	h.Want("PTTL k", 9877)
	h.Want("SET k v PXAT 1700000000124", ok)
	h.Want("PTTL k", 1)
	h.Advance(2 * time.Millisecond)
	h.Want("GET k", nil)
	h.Want("SET k v EX 1 EX 20", ok)
	h.Want("TTL k", 20)
	h.Want("SET k v PXAT 1", ok)
	h.Want("GET k", nil)

	h.SortedSet("z", "m")
	h.Want("SET z v", ok)
	h.Want("GET z", "v")
}

func TestSetConditions(t *testing.T) {
	h := servertest.New(t)
	h.Want("SET k v XX", nil)
	h.Want("SET k v NX", ok)
	h.Want("SET k w NX", nil)
	h.Want("GET k", "v")
	h.Want("SET k w XX EX 5", ok)
	h.Want("SET k x NX EX 50", nil)
	h.Want("TTL k", 5)
	h.Want("SET k x GET", "w")
	h.Want("SET k y NX GET", "x")
	h.Want("GET k", "x")
	h.Want("SET k y XX GET", "x")
	h.Want("GET k", "y")
	h.Want("SET new v XX GET", nil)
	h.Want("EXISTS new", 0)
	h.Want("SET new v NX GET", nil)
	h.Want("GET new", "v")
	h.SortedSet("z", "m")
	h.Want("SET z v GET", commands.ErrWrongType)
	h.Want("TYPE z", servertest.TypeOf("zset"))
}

func TestSetErrors(t *testing.T) {
	h := servertest.New(t)
	for _, options := range []string{
		"NX XX", "XX NX", "EX", "EX 1 PX 1", "PXAT 1 EX 1", "KEEPTTL EX 1", "EX 1 KEEPTTL", "PERSIST", "EX 1 2", "NX XX EX abc",
	} {
		h.Want("SET k v "+options, commands.ErrSyntax)
	}
	for _, options := range []string{"EX 0", "PX -1", "EXAT 0", "PXAT -5", "EX 9223372036854775807", "PX 9223372036854775807", "NX EX 9300000000000000"} {
		h.Want("SET k v "+options, commands.InvalidExpire("set").(commands.Error))
	}
	h.Want("SET k v EX 1.5", commands.ErrNotInteger)
	h.Want("SET k", commands.WrongArity("set").(commands.Error))
	h.Want("EXISTS k", 0)
	h.Want("SET k v EXAT 9223372036854775", ok)
	h.Want("PEXPIRETIME k", 9223372036854775000)
}

func TestSetNX(t *testing.T) {
	h := servertest.New(t)
	h.Want("SETNX k 1", 1)
	h.Want("SETNX k 2", 0)
	h.Want("GET k", "1")
	h.Want("PEXPIRE k 1", 1)
	h.Advance(2 * time.Millisecond)
	h.Want("SETNX k 3", 1)
	h.Want("PTTL k", -1)
	h.SortedSet("z", "m")
	h.Want("SETNX z v", 0)
}

func TestSetEX(t *testing.T) {
	h := servertest.New(t)
	h.Want("SETEX k 10 v", ok)
	h.Want("PTTL k", 10_000)
	h.Want("SETEX k 0 w", commands.InvalidExpire("setex").(commands.Error))
	h.Want("SETEX k 9223372036854776 w", commands.InvalidExpire("setex").(commands.Error))
	h.Want("SETEX k x w", commands.ErrNotInteger)
	h.Want("GET k", "v")
}

func TestPSetEX(t *testing.T) {
	h := servertest.New(t)
	h.Want("PSETEX k 10 v", ok)
	h.Want("PTTL k", 10)
	h.Want("PSETEX k -1 w", commands.InvalidExpire("psetex").(commands.Error))
	h.Want("PSETEX k 9223372036854775807 w", commands.InvalidExpire("psetex").(commands.Error))
	h.Want("GET k", "v")
}

// TestHotPathAllocations: the hot path allocates only the stored string.
func TestHotPathAllocations(t *testing.T) {
	h := servertest.New(t)
	h.Want("SET k value", ok)
	h.Want("SET n 1", ok)
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
		w := h.Session.Writer()
		allocs := testing.AllocsPerRun(100, func() {
			h.State.Handle(args, w)
			w.Reset()
		})
		h.State.End()
		require.LessOrEqual(t, allocs, call.allocs, "%v", call.args)
	}
}
