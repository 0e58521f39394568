package limiters

import (
	"cmp"
	"maps"
	"slices"

	"cellserver/gcra"
	"cellserver/internal/exact"
	"cellserver/limiters/window"
	"cellserver/store"
)

// Ledger says by which numbers the TATs of a rule were counted. A TAT is a time. So actions that were
// counted at other numbers would weigh more or less than they did. A TAT does not say its numbers, so the
// expiry of its key does. The key expires some milliseconds after the TAT: this number is a tag, and the
// ledger has its numbers. The first numbers have the tag 0. So a key looks as if there were no ledger, until
// the rule changes.
//
// A ledger never changes. Nil has no lines.
type Ledger struct {
	lines map[int64]Line         // by tag
	tags  map[gcra.Counted]int64 // of the numbers
}

// Line is a line of a ledger. A limit counts by its numbers from Began on, and none does from Ended on, in
// Unix nanoseconds. Ended is 0 while one does.
type Line struct {
	gcra.Counted
	Began, Ended int64
}

// keptLines is the most lines of a ledger whose numbers are not in force any more. Keys that older numbers
// counted are read by other numbers.
const keptLines = 256

// NewLedger returns a ledger with these lines, by their tags.
func NewLedger(lines map[int64]Line) *Ledger {
	l := &Ledger{lines, make(map[gcra.Counted]int64, len(lines))}
	for tag, one := range lines {
		l.tags[one.Counted] = tag
	}
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
func (l *Ledger) IsMixed() bool { return l != nil && len(l.lines) > 1 }

// LastEnd returns the latest time at which numbers went out of force, 0 if none did.
func (l *Ledger) LastEnd() (at int64) {
	for _, one := range l.Lines() {
		at = max(at, one.Ended)
	}
	return at
}

// Adjust changes a settlement of a reservation from before a change of the numbers, so that it gives back
// too little rather than too much. A part of the reservation came back at the shortest interval since then.
// And a smaller burst may have cut off what others had counted, so as much of the reservation stays counted.
func (l *Ledger) Adjust(s *Settlement, limit Limit) {
	r, ok := limit.(Rate)
	if !ok || !l.IsMixed() || r.Interval() == s.Value && l.lines[r.tag].Began <= s.At {
		return
	}
	past := []Line{}
	for _, one := range l.lines {
		if one.Ended >= s.At && one.Ended != 0 {
			past = append(past, one)
			s.Value = min(s.Value, one.Interval)
		}
	}
	slices.SortFunc(past, func(a, b Line) int { // of those of one moment, the largest first
		return cmp.Or(cmp.Compare(a.Ended, b.Ended), cmp.Compare(b.Limit, a.Limit))
	})
	past = append(past, Line{Counted: r.counted()})
	for i := range past[1:] {
		if cut := past[i].Limit - past[i+1].Limit; cut > 0 && s.Real < s.Reserved {
			s.Real = min(exact.Plus(s.Real, cut), s.Reserved)
		}
	}
}

// With returns the ledger with the numbers of some limits in force. If they are all limits of the rule,
// other numbers go out of force at now. If nothing changes, With returns the ledger itself.
func (l *Ledger) With(limits []Limit, all bool, now int64) *Ledger {
	next, changed := NewLedger(maps.Clone(l.Lines())), false
	if next.lines == nil {
		next.lines = map[int64]Line{}
	}
	inForce := map[int64]bool{}
	for _, limit := range limits {
		r, ok := limit.(Rate)
		if !ok {
			continue
		}
		tag, known := next.tags[r.counted()]
		if !known {
			tag = next.free()
		}
		if inForce[tag] = true; !known || next.lines[tag].Ended != 0 {
			next.lines[tag] = Line{Counted: r.counted(), Began: now}
			next.tags[r.counted()], changed = tag, true
		}
	}
	for tag, one := range next.lines {
		if all && !inForce[tag] && one.Ended == 0 {
			one.Ended, changed = max(now, 1), true
			next.lines[tag] = one
		}
	}
	if !changed {
		return l
	}
	next.trim()
	return next
}

// free returns the smallest tag without a line.
func (l *Ledger) free() (tag int64) {
	for {
		if _, taken := l.lines[tag]; !taken {
			return tag
		}
		tag++
	}
}

// trim removes lines that went out of force before others, until there are at most [keptLines].
func (l *Ledger) trim() {
	for {
		ended, oldest := 0, int64(-1)
		for tag, one := range l.lines {
			if one.Ended == 0 {
				continue
			}
			ended++
			was := l.lines[oldest]
			if oldest < 0 || one.Ended < was.Ended || one.Ended == was.Ended && tag < oldest {
				oldest = tag
			}
		}
		if ended <= keptLines {
			return
		}
		delete(l.tags, l.lines[oldest].Counted)
		delete(l.lines, oldest)
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
	case FixedWindow:
		used, end, err := counter(e)
		_, stale := limit.Shorten(window.Count{Used: used, End: end}, now)
		return err == nil && stale
	case SlidingWindow:
		counts, err := slidingCounts(e)
		_, stale := limit.Shorten(counts, now)
		return err == nil && stale
	}
	return false
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
		used, end, _ := counter(e)
		count, _ := limit.Shorten(window.Count{Used: used, End: end}, now)
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
