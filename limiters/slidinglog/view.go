package slidinglog

import (
	"math"
	"sort"

	"cellserver/internal/exact"
)

// view is a log as one request finds it.
type view[E Entries] struct {
	Log
	entries E
	now     int64
	n       int   // entries
	last    Entry // the newest of them, if there is one
	forget  int   // the oldest of them, which count no more
	used    int64 // actions that count
	shared  bool  // what is added is a shared entry
}

// live is the index of the first entry that counts. Most often that is one of the first.
func (v *view[E]) live() int {
	cutoff := v.now - v.period
	if cutoff > v.now {
		cutoff = math.MinInt64
	}
	from, to := 0, 0
	for to < v.n && v.entries.At(to).Time <= cutoff {
		from, to = to+1, 2*to+1
	}
	return from + sort.Search(min(to, v.n)-from, func(i int) bool { return v.entries.At(from+i).Time > cutoff })
}

// count is the number of actions from entry i on.
func (v *view[E]) count(i int) int64 {
	if !v.shared {
		return int64(v.n - i)
	}
	sum := int64(0)
	for ; i < v.n; i++ {
		sum = exact.Plus(sum, v.entries.At(i).Count)
	}
	return sum
}

// decide is [Decide], once it is known what counts.
func (v *view[E]) decide(quantity int64) Decision {
	d := Decision{Limit: v.limit, RetryAfter: never, Forget: v.forget, Shared: v.shared}
	soon := quantity > 0 && v.gap() > 0
	d.Limited = quantity > v.limit-v.used || soon
	switch {
	case !d.Limited:
		d.Add = quantity
	case v.Strict:
		d.Add = min(quantity, v.limit)
	}
	if d.Add > 0 {
		d.Changed = true
		d.Join = v.joins()
		v.crowd(&d)
	}
	if d.Limited && quantity <= v.limit {
		d.RetryAfter = v.retry(&d, quantity)
	}
	after := exact.Plus(v.used, d.Add)
	d.Remaining = v.limit - min(after, v.limit)
	if after > 0 {
		d.ResetAfter = exact.Since(v.now, exact.Plus(v.newest(&d), v.period))
	}
	return d
}

// gap is how long it is yet until the latest entry is a gap ago; not positive if it is.
func (v *view[E]) gap() int64 {
	if v.Gap == 0 || v.n == 0 {
		return 0
	}
	return exact.Plus(v.last.Time, v.Gap) - v.now
}

// joins says whether what is added joins the newest entry.
func (v *view[E]) joins() bool {
	if !v.shared || v.n == v.forget {
		return false
	}
	return v.last.Shared && v.last.Time <= v.now && v.bucket(v.last.Time) == v.bucket(v.now)
}

// bucket is the beginning of a time's bucket.
func (v *view[E]) bucket(t int64) int64 {
	if v.Resolution == 0 {
		return t
	}
	return t - t%v.Resolution
}

// crowd lets what is added to a strict log push out the oldest entries, without which the
// log has limit actions still.
func (v *view[E]) crowd(d *Decision) {
	for last := v.n - bit(d.Join); d.Limited && d.Forget < last; d.Forget++ {
		oldest := int64(1)
		if v.shared {
			oldest = v.entries.At(d.Forget).Count
		}
		if exact.Plus(v.used-oldest, d.Add) < v.limit {
			return
		}
		v.used -= oldest
	}
}

// retry is how long it takes until a limited request passes, with the log that it leaves.
func (v *view[E]) retry(d *Decision, quantity int64) int64 {
	wait := int64(0)
	if over := exact.Plus(v.used, d.Add) - (v.limit - quantity); over > 0 {
		wait = exact.Since(v.now, exact.Plus(v.timeOf(d, over), v.period))
	}
	if v.Gap > 0 && quantity > 0 {
		wait = max(wait, exact.Plus(v.newest(d), v.Gap)-v.now)
	}
	return wait
}

// timeOf is the time of the action that is n-th, counted from the oldest, in the log that a
// decision leaves.
func (v *view[E]) timeOf(d *Decision, n int64) int64 {
	last := v.n - bit(d.Join)
	if !v.shared {
		if left := int64(last - d.Forget); n <= left {
			return v.entries.At(d.Forget + int(n) - 1).Time
		}
		return v.now
	}
	for i := d.Forget; i < last; i++ {
		e := v.entries.At(i)
		if n -= e.Count; n <= 0 {
			return e.Time
		}
	}
	return v.now
}

// newest is the time of the newest entry in the log that a decision leaves.
func (v *view[E]) newest(d *Decision) int64 {
	if v.n > 0 && (d.Add == 0 || v.last.Time > v.now) {
		return v.last.Time
	}
	return v.now
}

func bit(on bool) int {
	if on {
		return 1
	}
	return 0
}
