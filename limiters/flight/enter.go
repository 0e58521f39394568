package flight

import (
	"cellserver/limiters"
	"cellserver/limiters/adaptive"
	"cellserver/limiters/lease"
)

// Enter decides about a request, and stores the decision unless the request only looks.
func (f *Flight) Enter(r *Entering, a *limiters.Answer) error {
	old := f.kept
	if !f.exists {
		f.kept.State = r.Begin()
	}
	if err := f.takeShares(r.shares); err != nil {
		return err
	}
	if err := f.holders(&f.own, r.own); err != nil {
		return err
	}
	others, err := f.others(r.own)
	if err != nil {
		return err
	}
	if !r.Looks {
		f.Meter.Lease = r.lease
		f.kept.State, f.Ended = f.Meter.Arrive(f.kept.State, &r.Options, f.now)
	}
	d, calls, err := f.acquire(r, others)
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
	f.save(&old, !d.Limited)
	if d.Limited {
		f.Meter.Refuse()
		return nil
	}
	limiters.Grant(&f.own, r.holder, d.Ended, d.End, f.now+d.ResetAfter)
	return nil
}

// acquire asks for a permit. It returns the number of all calls afterwards.
func (f *Flight) acquire(r *Entering, others crowd) (d lease.Decision, calls int64, err error) {
	held, percent := limiters.LeasesIn(&f.own), int64(0)
	mine, n := held.Of(r.holder), held.Len()
	if r.own >= 0 {
		percent = f.kept.shares[r.own].percent
	}
	room := adaptive.Room(f.Limit(), others.calls, percent, r.upTo)
	s, err := lease.New(max(room, 1), r.lease)
	if err != nil {
		return d, 0, err
	}
	if d, err = lease.Acquire(s, held, mine, f.now); err != nil {
		return d, 0, err
	}
	calls = others.calls + int64(n-d.Ended)
	switch renews := mine >= d.Ended; {
	case room == 0 && !renews:
		others.add(held, f.now)
		d = lease.Decision{Limited: true, RetryAfter: others.first - f.now, ResetAfter: others.latest - f.now}
	case !renews && !d.Limited:
		calls++
	}
	return d, calls, nil
}
