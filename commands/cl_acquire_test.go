package commands

import (
	"testing"
	"time"
)

// TestClAcquire lets at most so many work at once; one that crashed frees itself.
func TestClAcquire(t *testing.T) {
	h := newHarness(t)
	h.want("CL.ACQUIRE jobs 2 30 a", []any{0, 2, 1, -1, 30})
	h.advance(10 * time.Second)
	h.want("CL.ACQUIRE jobs 2 30 b", []any{0, 2, 0, -1, 30})
	h.want("CL.ACQUIRE jobs 2 30 c", []any{1, 2, 0, 20, 30})
	h.want("ZRANGE jobs 0 -1 WITHSCORES", []string{"a", "1700000030123456", "b", "1700000040123456"})
	h.want("PTTL jobs", 30001)

	// Acquiring again renews, also when there is no other permit.
	h.want("CL.ACQUIRE jobs 2 30 a", []any{0, 2, 0, -1, 30})
	h.want("CL.ACQUIRE jobs 1 30 b", []any{0, 1, 0, -1, 30})
	h.want("CL.ACQUIRE jobs 1 30 c PEEK", []any{1, 1, 0, 30, 30})
	h.want("CL.RELEASE jobs a", 1)
	h.want("CL.RELEASE jobs a", 0)
	h.want("CL.ACQUIRE jobs 2 30 c PEEK MS", []any{0, 2, 0, -1, 30000})
	h.want("CL.ACQUIRE jobs 2 60 c", []any{0, 2, 0, -1, 60})

	// A lease holds before its end, and no longer.
	h.advance(30*time.Second - 789 - 1)
	h.want("CL.ACQUIRE jobs 2 30 d MS", []any{1, 2, 0, 1, 30001})
	h.advance(1)
	h.want("CL.ACQUIRE jobs 2 30 d", []any{0, 2, 0, -1, 30})
	h.want("ZCARD jobs", 2)
	h.want("CL.RELEASE jobs b", 0)
	h.advance(31 * time.Second)
	h.want("CL.RELEASE jobs d", 0)
	h.want("EXISTS jobs", 0)
	h.want("CL.RELEASE jobs d", 0)
	h.want("CL.RELEASE jobs", wrongArity("cl.release").(Error))
}

// TestClAcquireOtherMembers: a client's own members are leases, too.
func TestClAcquireOtherMembers(t *testing.T) {
	h := newHarness(t)
	h.want("ZADD k 1e300 forever -1 never 1700000001000000.7 soon", 3)
	h.want("CL.ACQUIRE k 3 60 a", []any{0, 3, 0, -1, 7300000000})
	h.want("ZRANGE k 0 -1", []string{"soon", "a", "forever"})
	h.want("CL.ACQUIRE k 2 60 b MS", []any{1, 2, 0, 60000, 7299999999877})
}
