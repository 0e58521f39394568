package commands

import (
	"math"

	"cellserver/limiters/lease"
	"cellserver/store"
)

// CL.ACQUIRE key limit lease holder [MS] [PEEK] takes one of limit permits for holder, which
// has it for lease seconds or until CL.RELEASE gives it back; the reply is that of all
// limiters. Acquiring again renews the lease.
//
// CL.RELEASE key holder gives a permit back, and replies 1; 0 if the holder had none any more.
//
// The state is a sorted set of holders. A score is when the holder's lease ends, in Unix
// microseconds.
var (
	_ = register(&Command{
		Name: "cl.acquire", Arity: -5, Flags: Write | DenyOOM | Fast, Keys: updatedKey, Group: Limiter,
		Summary: "Acquires or renews one of so many permits, which comes back by itself after a lease.",
		Usage:   "key limit lease holder [MS] [PEEK]", Complexity: "O(log(N)) where N is the number of permits in use",
		Run: func(c *Call) error { return ask(c, leaseLimit) },
	})
	_ = register(&Command{
		Name: "cl.release", Arity: 3, Flags: Write | Fast, Keys: oneKey.access("RW ACCESS DELETE"), Group: Limiter,
		Summary: "Gives back a permit that CL.ACQUIRE took.",
		Usage:   "key holder", Complexity: "O(log(N)) where N is the number of permits in use",
		Run: clRelease,
	})
)

// permit is one of a semaphore for a holder.
type permit struct {
	ordinary
	lease.Semaphore
	holder []byte
}

func leaseLimit(a *limiterArgs) (p permit, err error) {
	limit, length := a.integer("limit"), a.seconds("lease")
	p.holder = a.next()
	if err = a.options(0); err == nil {
		p.Semaphore, err = lease.New(limit, length)
	}
	return p, err
}

func (p permit) decide(e *store.Entry, a *answer, now, _ int64) error {
	if err := sortedEntry(e); err != nil {
		return err
	}
	held, mine := leases{e.Sorted()}, lease.Nobody
	if held.set != nil {
		if rank, ok := held.set.Rank(p.holder); ok {
			mine = rank
		}
	}
	d, err := lease.Acquire(p.Semaphore, held, mine, now)
	a.set(d.Limited, !d.Limited, d.Limit, d.Remaining, d.RetryAfter, d.ResetAfter)
	a.state[0], a.state[1] = int64(d.Ended), d.End
	return err
}

func (p permit) apply(e *store.Entry, a *answer, now int64) {
	e.ZRemRange(0, int(a.state[0]))
	e.ZAdd(float64(a.state[1]/1000), p.holder)
	e.SetExpiry(expiryAfter(now, a.resetAfter))
}

// leases are those in a sorted set, nil for none.
type leases struct{ set *store.SortedSet }

// Len and End implement [lease.Leases].
func (l leases) Len() int {
	if l.set == nil {
		return 0
	}
	return l.set.Len()
}

func (l leases) End(i int) int64 { return leaseEnd(l.set.At(i).Score) }

// leaseEnd is the end of a lease in Unix nanoseconds.
func leaseEnd(score float64) int64 {
	const farthest = 9e15 // microseconds: in the year 2255
	return int64(math.Floor(min(max(score, 0), farthest))) * 1000
}

func clRelease(c *Call) error {
	e := c.Tx.Write(c.Args[1])
	if err := sortedEntry(&e); err != nil {
		return err
	}
	held := false
	if z := e.Sorted(); z != nil {
		score, ok := z.Score(c.Args[2])
		held = ok && leaseEnd(score) > c.Now
		e.ZRem(c.Args[2])
	}
	c.replyDone(held)
	return nil
}
