package limiters

import (
	"cellserver/internal/rediserr"
	"cellserver/limiters/lease"
	"cellserver/store"
)

// Permit is the limiter of CL.ACQUIRE: a permit of a semaphore for one holder. Its key is a sorted
// set of holders. A score is the end of the lease in Unix microseconds.
type Permit struct {
	plainKey
	lease.Semaphore
	holder []byte
}

// errNoHolder refuses a holder without a name: all callers whose name is empty would renew one permit.
const errNoHolder = rediserr.Error("ERR holder must not be empty: each holder needs a name of its own")

// ReadLease parses the arguments limit, lease and holder.
func ReadLease(a *Args) (p Permit, err error) {
	limit, length := a.Integer("limit"), a.Seconds("lease")
	p.holder = a.Next("holder")
	switch err = a.Options(0); {
	case err == nil && len(p.holder) == 0:
		err = errNoHolder
	case err == nil:
		p.Semaphore, err = lease.New(limit, length)
	}
	return p, err
}

// Decide implements [Limiter].
func (p Permit) Decide(e *store.Entry, a *Answer, now, _ int64) error {
	if err := CheckSorted(e); err != nil {
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

// Apply implements [Limiter].
func (p Permit) Apply(e *store.Entry, a *Answer, now int64) {
	e.ZRemRange(0, int(a.state[0]))
	e.ZAdd(float64(a.state[1]/1000), p.holder)
	e.SetExpiry(expiryAfter(now, a.ResetAfter))
}

// Release returns the permit of a holder. It reports whether the holder had the permit at now, in
// Unix nanoseconds.
func Release(e *store.Entry, holder []byte, now int64) (held bool, err error) {
	if err := CheckSorted(e); err != nil {
		return false, err
	}
	if z := e.Sorted(); z != nil {
		score, ok := z.Score(holder)
		held = ok && leaseEnd(score) > now
		e.ZRem(holder)
	}
	return held, nil
}

// leases are the leases in a sorted set. A nil set is empty.
type leases struct{ set *store.SortedSet }

// Len implements [lease.Leases].
func (l leases) Len() int {
	if l.set == nil {
		return 0
	}
	return l.set.Len()
}

// End implements [lease.Leases].
func (l leases) End(i int) int64 { return leaseEnd(l.set.At(i).Score) }

// leaseEnd returns the end of a lease in Unix nanoseconds.
func leaseEnd(score float64) int64 {
	return wholeMicros(score) * 1000
}
