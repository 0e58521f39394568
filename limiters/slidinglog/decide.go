package slidinglog

import (
	"math"
	"sort"

	"cellserver/internal/exact"
)

// Decide answers a request for a quantity at now, in ns since the epoch. A quantity of 0 ignores the gap and
// changes nothing.
func Decide[E Entries](l Log, entries E, now, quantity int64) (Decision, error) {
	v, err := look(l, entries, now, quantity)
	switch {
	case err != nil:
		return Decision{}, err
	case quantity > MaxEntries && !v.shared && quantity <= l.limit:
		return Decision{}, errTooMany
	}
	return v.decide(quantity), nil
}

// Charge adds a quantity, even if less is left. So more than the limit may count. The decision is then
// Limited, Remaining is negative, and RetryAfter is the time until a quantity of 1 passes. A charge ignores
// the gap. In all other respects Charge is like [Decide].
//
// A charge beyond the limit is one shared entry. A log of [ChargedEntries] entries does not grow by charges:
// they join its newest entry if that is a shared one.
func Charge[E Entries](l Log, entries E, now, quantity int64) (Decision, error) {
	v, err := look(l, entries, now, quantity)
	if err != nil {
		return Decision{}, err
	}
	after, ok := exact.Add(v.used, quantity)
	if !ok {
		return Decision{}, errTooMuch
	}
	return v.charge(quantity, after), nil
}

// look returns the view of a log for a request.
func look[E Entries](l Log, entries E, now, quantity int64) (v view[E], err error) {
	switch {
	case quantity < 0:
		return v, errQuantity
	case now > math.MaxInt64-l.period:
		return v, errTooFar
	}
	v = view[E]{Log: l, entries: entries, now: now, n: entries.Len()}
	v.findNewest()
	v.shared = l.Resolution > 0 || l.Shared || v.last.Shared
	v.forget = v.live()
	v.used = v.count(v.forget)
	return v, nil
}

// Live returns the index of the first entry that counts at now, in nanoseconds. If no entry counts, it
// returns their number.
func Live[E Entries](l Log, entries E, now int64) int {
	v := view[E]{Log: l, entries: entries, now: now, n: entries.Len()}
	return v.live()
}

// view is a log at the time of one request.
type view[E Entries] struct {
	Log
	entries E
	now     int64
	n       int   // entries
	last    Entry // the newest entry, if there is one
	past    int   // the index of the newest entry that is not later than now; -1 if there is none
	newer   Entry // that entry
	forget  int   // the number of oldest entries that no longer count
	used    int64 // requests that count
	shared  bool  // requests are added as a shared entry
}

// findNewest finds the newest entry, and the newest one that is not later than now. Entries of leases are
// later than now, and so are others if the clock was set back.
func (v *view[E]) findNewest() {
	v.past = v.n - 1
	if v.n == 0 {
		return
	}
	if v.last = v.entries.At(v.past); v.last.Time > v.now {
		v.past = sort.Search(v.n, func(i int) bool { return v.entries.At(i).Time > v.now }) - 1
	}
	if v.past >= 0 {
		v.newer = v.entries.At(v.past)
	}
}

// live returns the index of the first entry that counts. It searches from the front, where the entry usually
// is.
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

// count returns the number of requests from entry i on.
func (v *view[E]) count(i int) int64 {
	if !v.shared {
		return int64(v.n - i)
	}
	sum := int64(0)
	v.entries.Range(i, v.n, func(e Entry) bool {
		sum = exact.Plus(sum, e.Count)
		return true
	})
	return sum
}

// decide is [Decide], after forget and used are set.
func (v *view[E]) decide(quantity int64) Decision {
	d := Decision{Limit: v.limit, RetryAfter: never, Forget: v.forget, Shared: v.shared, Number: v.number()}
	soon := quantity > 0 && v.gap() > 0
	d.Limited = quantity > v.limit-v.used && (quantity > 0 || v.limit > 0) || soon
	switch {
	case !d.Limited:
		d.Add = quantity
	case v.Strict:
		d.Add = min(quantity, v.limit)
	}
	if d.Add > 0 {
		d.Changed = true
		d.Shared = v.shared || d.Add > MaxEntries // of a refused quantity above the limit, in a strict log
		if v.joins() {
			d.Join, d.At = true, v.past
		}
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

// charge is [Charge]. after is what counts with the quantity.
func (v *view[E]) charge(quantity, after int64) Decision {
	d := Decision{Limit: v.limit, RetryAfter: never, Forget: v.forget, Add: quantity, Number: v.number()}
	d.Changed = quantity > 0
	d.Limited, d.Remaining = after > v.limit, v.limit-after
	d.Shared = v.shared || d.Limited || quantity > MaxEntries
	if d.Changed {
		full := v.n-v.forget >= ChargedEntries && v.past >= v.forget && v.newer.Shared
		if full || v.joins() {
			d.Join, d.At = true, v.past
		}
	}
	if d.Limited && v.limit > 0 {
		d.RetryAfter = v.retry(&d, 1)
	}
	if after > 0 {
		d.ResetAfter = exact.Since(v.now, exact.Plus(v.newest(&d), v.period))
	}
	return d
}

// gap returns the time until the newest entry is a gap old. It is 0 or less if the entry is old enough.
func (v *view[E]) gap() int64 {
	if v.Gap == 0 || v.n == 0 {
		return 0
	}
	return exact.Plus(v.last.Time, v.Gap) - v.now
}

// number returns the number of the next entry of now.
func (v *view[E]) number() int64 {
	if v.n == 0 || v.last.Time != v.now {
		return 0
	}
	return v.last.Number + 1
}

// joins reports whether added requests join the newest entry that is not later than now.
func (v *view[E]) joins() bool {
	if !v.shared || v.past < v.forget {
		return false
	}
	return v.newer.Shared && v.bucket(v.newer.Time) == v.bucket(v.now)
}

// bucket returns the beginning of the bucket of a time.
func (v *view[E]) bucket(t int64) int64 {
	if v.Resolution == 0 {
		return t
	}
	return t - t%v.Resolution
}

// crowd forgets the oldest entries that a strict log does not need. Without them the log still has limit
// requests.
func (v *view[E]) crowd(d *Decision) {
	last := v.n
	if d.Join {
		last = d.At
	}
	for ; d.Limited && d.Forget < last; d.Forget++ {
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

// retry returns the time until a limited request passes, with the log that the decision leaves.
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

// timeOf returns the time of the n-th oldest request in the log that the decision leaves.
func (v *view[E]) timeOf(d *Decision, n int64) int64 {
	if !v.shared {
		if left := int64(v.n - d.Forget); n <= left {
			return v.entries.At(d.Forget + int(n) - 1).Time
		}
		return v.now
	}
	past, added := v.past+1, d.Add // requests of now come after these entries
	if d.Join {
		past, added = d.At, exact.Plus(added, v.newer.Count)
	}
	t, left := v.now, n
	take := func(e Entry) bool {
		if left -= e.Count; left <= 0 {
			t = e.Time
		}
		return left > 0
	}
	if v.entries.Range(d.Forget, past, take); left <= 0 {
		return t
	}
	if left -= added; left > 0 {
		v.entries.Range(v.past+1, v.n, take)
	}
	return t
}

// newest returns the time of the newest entry in the log that the decision leaves.
func (v *view[E]) newest(d *Decision) int64 {
	if v.n > 0 && (d.Add == 0 || v.last.Time > v.now) {
		return v.last.Time
	}
	return v.now
}
