package flight

import (
	"cellserver/limiters"
	"cellserver/limiters/adaptive"
	"cellserver/store"
)

// Leave returns the permit of a holder and counts how its call ended. It reports whether the holder had the
// permit. A lease that has ended stays until another holder comes, or its key expires.
func (f *Flight) Leave(r *Leaving) (held bool, err error) {
	var all crowd
	old, end := f.kept, int64(0)
	for i := -1; i < len(f.kept.shares); i++ {
		var other store.Entry
		e := &f.own
		if held {
			e = &other
		}
		if err = f.holders(e, i); err != nil {
			return false, err
		}
		set := limiters.LeasesIn(e)
		if all.add(set, f.now); !held {
			end, held = set.EndOf(r.holder)
			held = held && end > f.now
		}
	}
	if !held {
		return false, nil
	}
	f.own.ZRem(r.holder)
	if f.Meter.End == 0 {
		return true, nil // this node has not seen the window
	}
	if !f.exists {
		f.kept.State = f.Meter.Begin()
	}
	f.Meter.See(f.Limit(), all.calls)
	f.count(r, end)
	f.save(&old, f.Ended.Result > adaptive.Short)
	return true, nil
}

// count counts the end of a call whose lease has an end, and the end of the window.
func (f *Flight) count(r *Leaving, end int64) {
	m, counts := &f.Meter, r.outcome != ignored
	if counts {
		latency := r.latency
		if latency < 0 {
			latency = min(max(f.now-(end-m.Lease), 0), m.Lease)
		}
		m.Sample(latency, r.outcome == droppedCall)
	}
	f.kept.State, f.Ended = m.Close(f.kept.State, f.now, counts)
	m.Limit = int32(f.Limit())
	m.Calls--
}
