package limiters

import (
	"cmp"
	"slices"

	"cellserver/gcra"
	"cellserver/internal/exact"
	"cellserver/store"
)

// Ledger says by which numbers the TATs of a rule were counted. A TAT is a time. So actions that were
// counted at other numbers would weigh more or less than they did. A TAT does not say its numbers, so the
// expiry of its key does. The key expires some milliseconds after the TAT: this number is a tag, and the
// ledger has its numbers. The tag 0 is that of the first numbers, if these are those of one limit. A key of these
// looks as if there were no ledger. A tag has no other numbers later, because keys may still have it.
//
// A ledger never changes. Nil has no lines.
type Ledger struct {
	lines map[int64]Line         // by tag
	tags  map[gcra.Counted]int64 // of the numbers
	mixed bool                   // keys may have been counted by several numbers
	past  []Line                 // numbers out of force, by their end; of those of one moment, the largest first
}

// Line is a line of a ledger. A limit counts by its numbers from Began on, and none does from Ended on, in
// Unix nanoseconds. Ended is 0 while one does.
type Line struct {
	gcra.Counted
	Began, Ended int64
}

// keptLines is the most lines of a ledger whose numbers are not in force any more. A key that older numbers have
// counted waits for one full burst at most.
const keptLines = 256

// NewLedger returns a ledger with these lines, by their tags.
func NewLedger(lines map[int64]Line) *Ledger {
	l := &Ledger{lines: lines, tags: make(map[gcra.Counted]int64, len(lines))}
	_, first := lines[0]
	l.mixed = len(lines) > 1 || !first
	for tag, one := range lines {
		l.tags[one.Counted] = tag
		if one.Ended != 0 {
			l.past = append(l.past, one)
		}
	}
	slices.SortFunc(l.past, func(a, b Line) int {
		return cmp.Or(cmp.Compare(a.Ended, b.Ended), cmp.Compare(b.Limit, a.Limit), cmp.Compare(a.Interval, b.Interval))
	})
	return l
}

// Lines returns the lines by their tags. The caller must not change them.
func (l *Ledger) Lines() map[int64]Line {
	if l == nil {
		return nil
	}
	return l.lines
}

// IsMixed reports whether keys may have been counted by several numbers.
func (l *Ledger) IsMixed() bool {
	return l != nil && l.mixed
}

// Adjust changes a settlement of a reservation from before a change of the numbers, so that it gives back
// too little rather than too much. A part of the reservation came back at the shortest interval since then.
// And a smaller burst may have cut off what others had counted, so as much of the reservation stays counted.
func (l *Ledger) Adjust(s *Settlement, limit Limit) {
	r, ok := limit.(Rate)
	if !ok || !l.IsMixed() || r.Interval() == s.Value && l.lines[r.tag].Began < s.At {
		return
	}
	from, _ := slices.BinarySearchFunc(l.past, s.At, func(one Line, at int64) int { return cmp.Compare(one.Ended, at) })
	past := l.past[from:]
	for i, one := range past {
		s.Value = min(s.Value, one.Interval)
		next := r.Limit()
		if i+1 < len(past) {
			next = past[i+1].Limit
		}
		if cut := one.Limit - next; cut > 0 && s.Real < s.Reserved {
			s.Real = min(exact.Plus(s.Real, cut), s.Reserved)
		}
	}
}

// With returns the ledger with the numbers of some limits in force. If they are all limits of the rule,
// other numbers go out of force at now. If nothing changes, With returns the ledger itself.
func (l *Ledger) With(limits []Limit, all bool, now int64) *Ledger {
	inForce, changes := map[gcra.Counted]bool{}, false
	for _, limit := range limits {
		if r, ok := limit.(Rate); ok {
			inForce[r.counted()] = true
			changes = changes || !l.has(r)
		}
	}
	for _, one := range l.Lines() {
		changes = changes || all && one.Ended == 0 && !inForce[one.Counted]
	}
	if !changes {
		return l
	}
	lines, unused := map[int64]Line{}, l.nextTag(len(inForce))
	for tag, one := range l.Lines() {
		switch {
		case inForce[one.Counted] && one.Ended != 0:
			one = Line{Counted: one.Counted, Began: now}
		case all && !inForce[one.Counted] && one.Ended == 0:
			one.Ended = max(now, 1)
		}
		lines[tag] = one
	}
	for _, limit := range limits {
		r, ok := limit.(Rate)
		if !ok || !inForce[r.counted()] || l.knows(r) {
			continue
		}
		for _, taken := lines[unused]; taken; _, taken = lines[unused] {
			unused++
		}
		lines[unused] = Line{Counted: r.counted(), Began: now}
		delete(inForce, r.counted()) // one line for equal numbers
	}
	trimLines(lines)
	return NewLedger(lines)
}

// mostTag is the largest tag of new numbers, as long as smaller ones are free.
const mostTag = 1 << 20

// nextTag returns the first tag that new numbers may get. numbers is how many a first ledger has. If there are several,
// nobody knows which of them have counted the keys from before the ledger.
func (l *Ledger) nextTag(numbers int) int64 {
	if l == nil && numbers == 1 {
		return 0
	}
	last := largestTag(l.Lines())
	if last >= mostTag {
		return 1
	}
	return last + 1
}

// largestTag returns the largest tag, 0 if there is none.
func largestTag(lines map[int64]Line) (largest int64) {
	for tag := range lines {
		largest = max(largest, tag)
	}
	return largest
}

// knows reports whether numbers have a line.
func (l *Ledger) knows(r Rate) bool {
	if l == nil {
		return false
	}
	_, known := l.tags[r.counted()]
	return known
}

// has reports whether numbers are in force.
func (l *Ledger) has(r Rate) bool { return l.knows(r) && l.lines[l.tags[r.counted()]].Ended == 0 }

// trimLines removes lines that went out of force before others, until there are at most [keptLines]. The largest tag
// stays, so that no later numbers get it.
func trimLines(lines map[int64]Line) {
	var ended []int64
	largest := largestTag(lines)
	for tag, one := range lines {
		if one.Ended != 0 && tag != largest {
			ended = append(ended, tag)
		}
	}
	slices.SortFunc(ended, func(a, b int64) int {
		return cmp.Or(cmp.Compare(lines[a].Ended, lines[b].Ended), cmp.Compare(a, b))
	})
	for _, tag := range ended[:max(0, len(ended)-keptLines)] {
		delete(lines, tag)
	}
}

// Tagged returns a limit that writes the tag of its numbers.
func (l *Ledger) Tagged(limit Limit) Limit {
	r, ok := limit.(Rate)
	if ok && l != nil {
		r.tag = l.tags[r.counted()]
		return r
	}
	return limit
}

// IsStale reports whether other numbers have counted the state of a key. A TAT has then another tag, or a
// window ends later than any of the limit. The ledger may be nil.
func (l *Ledger) IsStale(e *store.Entry, limit Limit, now int64) bool {
	switch limit := limit.(type) {
	case Rate:
		tat, tag := taggedTAT(e)
		return l.IsMixed() && tat > now && tag != limit.tag
	default:
		_, early := EndsEarly(e, limit, now)
		return early
	}
}

// EndsEarly reports whether the state is a window that ends later than any of the limit. Recount then ends it
// early. It returns the former end.
func EndsEarly(e *store.Entry, limit Limit, now int64) (end int64, early bool) {
	switch limit := limit.(type) {
	case FixedWindow:
		count, err := counter(e)
		_, early := limit.Shorten(count, now)
		return count.End, err == nil && early
	case SlidingWindow:
		counts, err := slidingCounts(e)
		_, early := limit.Shorten(counts, now)
		return counts.End, err == nil && early
	}
	return 0, false
}

// Recount converts a state that other numbers have counted. The number of actions stays the same.
func (l *Ledger) Recount(e *store.Entry, limit Limit, now int64) {
	if !l.IsStale(e, limit, now) {
		return
	}
	switch limit := limit.(type) {
	case Rate:
		l.recountTAT(e, limit, now)
	case FixedWindow:
		count, _ := counter(e)
		count, _ = limit.Shorten(count, now)
		e.SetInt(count.Used, count.End/1e6)
	case SlidingWindow:
		counts, _ := slidingCounts(e)
		counts, _ = limit.Shorten(counts, now)
		storeCounts(e, counts)
	}
}

func (l *Ledger) recountTAT(e *store.Entry, r Rate, now int64) {
	tat, tag := taggedTAT(e)
	by, known := l.Lines()[tag]
	if !known {
		r.store(e, min(tat, exact.Plus(now, r.Window())), now)
		return
	}
	at := now
	if by.Ended != 0 {
		at = min(by.Ended, now)
	}
	r.store(e, r.Convert(tat, at, by.Counted), now)
}

// taggedTAT returns the TAT of a key, and the tag of its numbers. Both are 0 for any other key.
func taggedTAT(e *store.Entry) (tat, tag int64) {
	n, at, ok := e.Volatile()
	if !ok {
		return 0, 0
	}
	return n, at - exact.CeilDiv(n, 1e6)
}

// counted returns the numbers of the limit.
func (r Rate) counted() gcra.Counted { return gcra.Counted{Interval: r.Interval(), Limit: r.Limit()} }
