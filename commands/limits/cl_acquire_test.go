package limits

import (
	"cellserver/commands"
	"cellserver/server/servertest"
	"fmt"
	"testing"
	"time"
)

// TestClAcquire: at most limit holders have a permit. The lease of a crashed holder ends.
func TestClAcquire(t *testing.T) {
	h := servertest.New(t)
	h.Want("CL.ACQUIRE jobs 2 30 a", []any{0, 2, 1, -1, 30})
	h.Advance(10 * time.Second)
	h.Want("CL.ACQUIRE jobs 2 30 b", []any{0, 2, 0, -1, 30})
	h.Want("CL.ACQUIRE jobs 2 30 c", []any{1, 2, 0, 20, 30})
	h.Want("ZRANGE jobs 0 -1 WITHSCORES", []string{"a", "1700000030123456", "b", "1700000040123456"})
	h.Want("PTTL jobs", 30001)

	// Acquiring again renews the lease, even if no permit is free.
	h.Want("CL.ACQUIRE jobs 2 30 a", []any{0, 2, 0, -1, 30})
	h.Want("CL.ACQUIRE jobs 1 30 b", []any{0, 1, 0, -1, 30})
	h.Want("CL.ACQUIRE jobs 1 30 c PEEK", []any{1, 1, 0, 30, 30})
	h.Want("CL.RELEASE jobs a", 1)
	h.Want("CL.RELEASE jobs a", 0)
	h.Want("CL.ACQUIRE jobs 2 30 c PEEK MS", []any{0, 2, 0, -1, 30000})
	h.Want("CL.ACQUIRE jobs 2 60 c", []any{0, 2, 0, -1, 60})

	// A lease counts until its end, exclusive.
	h.Advance(30*time.Second - 789 - 1)
	h.Want("CL.ACQUIRE jobs 2 30 d MS", []any{1, 2, 0, 1, 30001})
	h.Advance(1)
	h.Want("CL.ACQUIRE jobs 2 30 d", []any{0, 2, 0, -1, 30})
	h.Want("ZCARD jobs", 2)
	h.Want("CL.RELEASE jobs b", 0)
	h.Advance(31 * time.Second)
	h.Want("CL.RELEASE jobs d", 0)
	h.Want("EXISTS jobs", 0)
	h.Want("CL.RELEASE jobs d", 0)
	h.Want(`CL.ACQUIRE jobs 2 30 ""`, commands.Error("ERR holder must not be empty: each holder needs a name of its own"))
	h.Want("CL.RELEASE jobs", commands.WrongArity("cl.release").(commands.Error))
}

// TestClAcquireOtherMembers: a member that a client adds with ZADD is a lease, too.
func TestClAcquireOtherMembers(t *testing.T) {
	h := servertest.New(t)
	h.Want("ZADD k 1e300 forever -1 never 1700000001000000.7 soon", 3)
	h.Want("CL.ACQUIRE k 3 60 a", []any{0, 3, 0, -1, 7300000000})
	h.Want("ZRANGE k 0 -1", []string{"soon", "a", "forever"})
	h.Want("CL.ACQUIRE k 2 60 b MS", []any{1, 2, 0, 60000, 7299999999877})
}

// TestClAcquireForgets: a request forgets some of the ended leases at a time, and none of them counts.
func TestClAcquireForgets(t *testing.T) {
	h := servertest.New(t)
	for i := range 2500 {
		h.Do(fmt.Sprintf("CL.ACQUIRE k 5000 10 h%d", i))
	}
	h.Do("CL.ACQUIRE k 5000 3600 stays")
	h.Advance(11 * time.Second)
	for i, left := range []int{1502, 503, 4, 5} {
		h.Want(fmt.Sprintf("CL.ACQUIRE k 5000 3600 late%d", i), []any{0, 5000, 4998 - i, -1, 3600})
		h.Want("ZCARD k", left)
	}
	h.Want("CL.ACQUIRE k 5000 3600 h2499", []any{0, 5000, 4994, -1, 3600})
}
