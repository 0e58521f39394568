package flight

import (
	"math"

	"cellserver/limiters"
	"cellserver/limiters/adaptive"
	"cellserver/limiters/lease"
	"cellserver/store"
)

// Enter decides about a request, and stores the decision unless the request only looks.
func (f *Flight) Enter(r *Entering, a *limiters.Answer) error {
	if err := f.read(); err != nil {
		return err
	}
	if !f.state.exists {
		f.kept.State, f.changed = r.Begin(), true
	}
	if err := f.takeShares(r.shares); err != nil {
		return err
	}
	held, err := f.holders(&f.own, r.own)
	if err != nil {
		return err
	}
	others, err := f.others(r.own)
	if err != nil {
		return err
	}
	if !r.Looks {
		f.Meter.Lease, r.Partitions = r.lease, uint8(len(f.kept.shares))
		f.Meter.Arrive(&f.kept.State, &r.Options, f.now, &f.Ended)
	}
	d, calls, err := f.acquire(r, held, others)
	if err != nil {
		return err
	}
	*a = limiters.Answer{
		Limited: d.Limited, Changed: true, Limit: f.Limit(), Remaining: d.Remaining,
		RetryAfter: d.RetryAfter, ResetAfter: d.ResetAfter,
	}
	if r.Looks {
		return nil
	}
	f.Meter.See(f.Limit(), calls)
	f.save(!d.Limited)
	if d.Limited {
		f.Meter.Refuse()
		return nil
	}
	limiters.Grant(&f.own, r.holder, d.Ended, d.End, f.now+d.ResetAfter)
	return nil
}

// acquire asks for a permit among the holders of the caller's partition. It returns the number of all calls
// afterwards.
func (f *Flight) acquire(
	r *Entering, held limiters.Leases, others int64,
) (d lease.Decision, calls int64, err error) {
	percent := int64(0)
	if r.own >= 0 {
		percent = f.kept.shares[r.own].percent
	}
	room := adaptive.Room(f.Limit(), others, percent, r.upTo)
	s, err := lease.New(max(room, 1), r.lease)
	if err != nil {
		return d, 0, err
	}
	mine := held.Of(r.holder)
	if d, err = lease.Acquire(s, held, mine, f.now); err != nil {
		return d, 0, err
	}
	calls = others + int64(held.Len()-d.Ended)
	switch renews := mine >= d.Ended; {
	case room == 0 && !renews:
		first, last, err := f.ends()
		d = lease.Decision{Limited: true, RetryAfter: first - f.now, ResetAfter: last - f.now}
		return d, calls, err
	case !renews && !d.Limited:
		calls++
	}
	return d, calls, nil
}

// ends returns when the first and the last lease of all partitions end that have not ended.
func (f *Flight) ends() (first, last int64, err error) {
	first = math.MaxInt64
	for i := plain; i < len(f.kept.shares); i++ {
		var e store.Entry
		held, err := f.holders(&e, i)
		if err != nil {
			return 0, 0, err
		}
		if n, ended := held.Len(), lease.Ended(held, f.now); ended < n {
			first, last = min(first, held.End(ended)), max(last, held.End(n-1))
		}
	}
	return first, last, nil
}
