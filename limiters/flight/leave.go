package flight

import (
	"cellserver/limiters"
	"cellserver/limiters/adaptive"
)

// Leave returns the permit of a holder and counts how its call ended. It reports whether the holder had the
// permit, and the limit, 0 if there is no state. A lease that has ended stays until another holder comes, or
// its key expires.
//
// Most calls need no state, because the open window has the limit. Leave reads the state if the window ends
// or has not seen so many calls, and if the holder may be in a partition.
func (f *Flight) Leave(r *Leaving) (held bool, limit int64, err error) {
	m, calls, counts := &f.Meter, int64(0), r.outcome != ignored
	set, err := f.holders(&f.own, plain)
	if err != nil {
		return false, 0, err
	}
	end, held := f.permit(set, r.holder)
	reads := !held || m.Partitions > 0 || set.Len() > int(m.Busiest) || m.Ends(f.now, counts)
	if reads {
		if err = f.read(); err == nil {
			calls, err = f.others(nobody)
		}
		for i := 0; err == nil && !held && i < len(f.kept.shares); i++ {
			set, err = f.holders(&f.own, i)
			end, held = f.permit(set, r.holder)
		}
	}
	switch {
	case err != nil:
		return false, 0, err
	case !held:
		return false, f.Limit(), nil
	}
	f.own.ZRem(r.holder)
	if m.End == 0 {
		return true, f.Limit(), nil // this node has not seen the window
	}
	if counts {
		latency := r.latency
		if latency < 0 {
			latency = min(max(f.now-(end-m.Lease), 0), m.Lease)
		}
		m.Sample(latency, r.outcome == droppedCall)
	}
	if reads {
		f.end(calls, counts)
	}
	m.Calls = max(m.Calls-1, 0)
	return true, int64(m.Limit), nil
}

// permit returns when the lease of a holder ends, and whether it is a permit.
func (f *Flight) permit(set limiters.Leases, holder []byte) (end int64, held bool) {
	end, held = set.EndOf(holder)
	return end, held && end > f.now
}

// end notes how many calls were under way, ends the window if its time has come, and stores the state.
func (f *Flight) end(calls int64, sampled bool) {
	m := &f.Meter
	if !f.state.exists {
		f.kept.State, f.changed = m.Begin(), true
	}
	m.See(f.Limit(), calls)
	m.Close(&f.kept.State, f.now, sampled, &f.Ended)
	m.Limit = int32(f.Limit())
	f.save(f.Ended.Result > adaptive.Short)
}
