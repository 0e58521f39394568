package slidinglog

import "sort"

// Settlement replaces the estimated cost of a request with its real cost. The request passed at the time At,
// in a log with the option Shared and this resolution. More is the real cost minus the estimate.
type Settlement struct{ At, Resolution, More int64 }

// Settle answers a settlement at now. It returns the index of the entry to change, and its new count. A
// count of 0 means that the caller removes the entry. An index of -1 means that no entry changes. Then the
// decision may be Changed: the difference is charged now.
//
// If the log no longer has the entry of the request, a difference below 0 changes nothing. A larger one is
// charged now, unless the request is a period old. In all other respects Settle is like [Charge] with a
// quantity of 0.
func Settle[E Entries](l Log, entries E, now int64, s Settlement) (d Decision, index int, count int64, err error) {
	index = Find(l, entries, s)
	more := max(s.More, 0)
	if index < 0 && now-s.At >= l.period {
		more = 0
	}
	if d, err = Charge(l, entries, now, more); err != nil || index < 0 || s.More == 0 {
		return d, -1, 0, err
	}
	count = max(entries.At(index).Count+s.More, 0)
	d, err = Charge(l, settled[E]{entries, index, count}, now, 0)
	return d, index, count, err
}

// Find returns the index of the shared entry of a request, -1 if there is none.
func Find[E Entries](l Log, entries E, s Settlement) int {
	if s.Resolution != l.Resolution {
		s.Resolution = 0 // other requests of its bucket may have entries of their own
	}
	n := entries.Len()
	i := sort.Search(n, func(i int) bool { return entries.At(i).Time >= s.At })
	for ; i < n; i++ {
		e := entries.At(i)
		if e.Time != s.At && (s.Resolution <= 0 || e.Time-e.Time%s.Resolution != s.At-s.At%s.Resolution) {
			break
		}
		if e.Shared {
			return i
		}
	}
	return -1
}

// settled is a log in which the entry at index has the count that the field count says. If count is 0, the
// entry is missing.
type settled[E Entries] struct {
	entries E
	index   int
	count   int64
}

// Len implements [Entries].
func (s settled[E]) Len() int {
	if s.count == 0 {
		return s.entries.Len() - 1
	}
	return s.entries.Len()
}

// Range implements [Entries].
func (s settled[E]) Range(from, to int, f func(Entry) bool) {
	if s.count == 0 && from >= s.index {
		from++
	}
	if s.count == 0 && to > s.index {
		to++
	}
	i := from - 1
	s.entries.Range(from, to, func(e Entry) bool {
		if i++; i == s.index {
			e.Count = s.count
		}
		return i == s.index && s.count == 0 || f(e)
	})
}

// At implements [Entries].
func (s settled[E]) At(i int) Entry {
	if i >= s.index && s.count == 0 {
		return s.entries.At(i + 1)
	}
	e := s.entries.At(i)
	if i == s.index {
		e.Count = s.count
	}
	return e
}
