package limiters

import (
	"cellserver/internal/exact"
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

// ErrNoHolder refuses a holder without a name: all callers whose name is empty would renew one permit.
const ErrNoHolder = rediserr.Error("ERR holder must not be empty: each holder needs a name of its own")

// ReadLease parses the arguments limit, lease and holder.
func ReadLease(a *Args) (p Permit, err error) {
	limit, length := a.Integer("limit"), a.Seconds("lease")
	p.holder = a.Next("holder")
	switch err = a.Options(0); {
	case err == nil && len(p.holder) == 0:
		err = ErrNoHolder
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
	held := LeasesIn(e)
	d, err := lease.Acquire(p.Semaphore, held, held.Of(p.holder), now)
	a.Set(d.Limited, !d.Limited, d.Limit, d.Remaining, d.RetryAfter, d.ResetAfter)
	a.state[0], a.state[1] = int64(d.Ended), d.End
	return err
}

// Apply implements [Limiter].
func (p Permit) Apply(e *store.Entry, a *Answer, now int64) {
	Grant(e, p.holder, int(a.state[0]), a.state[1], now+a.ResetAfter)
}

// Grant stores the lease of a holder, until a Unix nanosecond, and forgets leases that have ended, some at a
// time as a log does. At latest all leases have ended, so the key expires then.
func Grant(e *store.Entry, holder []byte, ended int, end, latest int64) {
	e.ZRemRange(0, min(ended, mostForgotten))
	e.ZAdd(float64(end/1000), holder)
	e.SetExpiry(exact.CeilDiv(latest, 1e6))
}

// Release returns the permit of a holder. It reports whether the holder had the permit at now, in
// Unix nanoseconds.
func Release(e *store.Entry, holder []byte, now int64) (held bool, err error) {
	if err := CheckSorted(e); err != nil {
		return false, err
	}
	if e.Exists() {
		end, ok := LeasesIn(e).EndOf(holder)
		held = ok && end > now
		e.ZRem(holder)
	}
	return held, nil
}

// Leases are the leases in a sorted set.
type Leases struct{ set store.SortedSet }

// LeasesIn returns the leases in an entry that is absent or a sorted set.
func LeasesIn(e *store.Entry) Leases { return Leases{e.Sorted()} }

// Of returns the index of the lease of a holder, [lease.Nobody] if there is no such lease.
func (l Leases) Of(holder []byte) int {
	if rank, ok := l.set.Rank(holder); ok {
		return rank
	}
	return lease.Nobody
}

// EndOf returns the end of the lease of a holder in Unix nanoseconds, and whether there is such a lease.
func (l Leases) EndOf(holder []byte) (end int64, ok bool) {
	score, ok := l.set.Score(holder)
	return leaseEnd(score), ok
}

// Len implements [lease.Leases].
func (l Leases) Len() int { return l.set.Len() }

// End implements [lease.Leases].
func (l Leases) End(i int) int64 { return leaseEnd(l.set.ScoreAt(i)) }

// leaseEnd returns the end of a lease in Unix nanoseconds.
func leaseEnd(score float64) int64 {
	return wholeMicros(score) * 1000
}
