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
	limit, room := f.Limit(), f.room(r, others)
	s, err := lease.New(max(room, 1), r.lease)
	if err != nil {
		return err
	}
	mine := held.Of(r.holder)
	d, err := lease.Acquire(s, held, mine, f.now)
	if err != nil {
		return err
	}
	calls, renews := others+int64(held.Len()-d.Ended), mine >= d.Ended
	if room == 0 && !renews {
		first, last, err := f.ends()
		if err != nil {
			return err
		}
		d = lease.Decision{Limited: true, RetryAfter: first - f.now, ResetAfter: last - f.now}
	}
	a.Set(d.Limited, true, limit, d.Remaining, d.RetryAfter, d.ResetAfter)
	if r.Looks {
		return nil
	}
	if !renews && !d.Limited {
		calls++
	}
	f.Meter.See(limit, calls)
	f.save(!d.Limited)
	if d.Limited {
		f.Meter.Refuse()
		return nil
	}
	limiters.Grant(&f.own, r.holder, d.Ended, d.End, f.now+d.ResetAfter)
	return nil
}

// room returns how many calls the partition of the caller may have under way.
func (f *Flight) room(r *Entering, others int64) int64 {
	percent := int64(0)
	if r.own >= 0 {
		percent = f.kept.shares[r.own].percent
	}
	return adaptive.Room(f.Limit(), others, percent, r.upTo)
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
