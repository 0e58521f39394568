package ruleset

import (
	"maps"
	"slices"

	"cellserver/limiters"
	"cellserver/store"
)

// allLimits returns the limits of the rule and of its overrides.
func (r *Rule) allLimits() (all []limiters.Limit) {
	for i := range r.Scopes {
		all = appendLimits(all, r.Scopes[i].Limits)
		r.Scopes[i].overrides.each(func(_ string, o *override) { all = appendLimits(all, o.limits) })
	}
	return all
}

func appendLimits(all []limiters.Limit, list []Limit) []limiters.Limit {
	for i := range list {
		all = append(all, list[i].Limit)
	}
	return all
}

// use gives a rule its ledger. The limits that are published do not change.
func (r *Rule) use(l *limiters.Ledger) {
	if r.Ledger = l; !l.IsMixed() {
		return
	}
	for i := range r.Scopes {
		s := &r.Scopes[i]
		s.Limits, _ = tagged(s.Limits, l)
		before, cloned := s.overrides, false
		before.each(func(key string, o *override) {
			limits, changed := tagged(o.limits, l)
			if changed && !cloned {
				s.overrides, cloned = before.clone(), true
			}
			if changed {
				s.overrides.put(key, &override{limits, o.text})
			}
		})
	}
}

// mostSpareLines is the most lines of former overrides that a ledger keeps as if they were in force.
const mostSpareLines = 256

// countOverride adds the numbers of an override, which may be nil, to a ledger. The rule has the override
// already. New numbers cost a copy of the ledger. The numbers of former overrides end only if there are many.
func (r *Rule) countOverride(l *limiters.Ledger, o *override, now int64) {
	if o != nil {
		l = l.With(appendLimits(nil, o.limits), false, now)
	}
	if len(l.Lines()) > r.overrides()+MaxLimits+mostSpareLines {
		l = l.With(r.allLimits(), true, now)
	}
	if o != nil {
		o.limits, _ = tagged(o.limits, l)
	}
	r.Ledger = l
}

// tagged returns limits that write the tags of a ledger.
func tagged(list []Limit, l *limiters.Ledger) (next []Limit, changed bool) {
	for i := range list {
		one := l.Tagged(list[i].Limit)
		if one == list[i].Limit {
			continue
		}
		if !changed {
			list, changed = slices.Clone(list), true
		}
		list[i].Limit, list[i].Reserving = one, one.Reserving()
	}
	return list, changed
}

// ledgerOf returns the ledger that a name has before a change: its own, or that of the rule that has decided
// for it.
func (s Sources) ledgerOf(name string) *limiters.Ledger {
	if l := s.stored.ledgers[name]; l != nil {
		return l
	}
	before := s.Decides([]byte(name))
	switch {
	case before == nil || before.Err != nil:
		return nil
	case before.Ledger != nil:
		return before.Ledger
	}
	l := (*limiters.Ledger)(nil).With(before.allLimits(), true, 0)
	if len(l.Lines()) > 1 {
		return limiters.NewLedger(nil) // nobody knows which numbers have counted a key
	}
	return l
}

// maxLedgers bounds the ledgers. Rules that a file had once may leave some.
const maxLedgers = 2 * MaxRules

// storeLedger makes the hash of a ledger hold its lines. The set and its map of ledgers are not
// published. A stored rule whose limits count by the same numbers needs no hash: its text has them.
func (s *set) storeLedger(tx *store.Tx, name string, l *limiters.Ledger) {
	was := s.ledgers[name]
	if l == was || was == nil && !l.IsMixed() && s.byName[name] != nil {
		return
	}
	changeLedger(tx, name, was, l)
	s.putLedger(name, l)
}

// dropLedger removes the ledger of a name. The set is not published.
func (s *set) dropLedger(tx *store.Tx, name string) {
	if s.ledgers[name] != nil {
		changeKey(tx, ledgerTag+name, func(e *store.Entry) { e.Delete() })
		s.putLedger(name, nil)
	}
}

// putLedger gives a name another ledger, or none if it is nil. The set and its map of ledgers are not
// published.
func (s *set) putLedger(name string, l *limiters.Ledger) {
	s.bytes += lineBytes * int64(len(l.Lines())-len(s.ledgers[name].Lines()))
	switch {
	case l == nil:
		delete(s.ledgers, name)
	case s.ledgers == nil:
		s.ledgers = map[string]*limiters.Ledger{name: l}
	default:
		s.ledgers[name] = l
	}
}

// lineBytes is about the memory of a line of a ledger.
const lineBytes = 128

// followLedger publishes an effect of another node on a ledger, or one that takes a change back.
func (r *Rules) followLedger(s *set, name string, f *store.Effect) {
	next := *s
	next.ledgers = maps.Clone(s.ledgers)
	next.putLedger(name, ledgerAfter(s.ledgers[name], f))
	r.publish(&next)
}

// Nobody sets the rules of the file in a transaction. Their ledgers change in memory when the file comes into
// force, and [Rules.SaveLedgers] stores them soon afterwards.

// countFile returns the rules of the file with their ledgers. before has the rules of the file until now.
func countFile(file, before, stored *set, now int64) (next *set, unsaved bool) {
	next = file
	for name, one := range file.byName {
		l, was := stored.ledgers[name], before.byName[name]
		switch {
		case stored.byName[name] != nil:
			continue // it hides the rule
		case was == one && (l == one.Ledger || l == one.base):
		default:
			from := l
			switch {
			case was != nil && was.base == l && was.Ledger != nil:
				from = was.Ledger // which nobody has stored yet
			case was == nil && l == nil:
				from = Sources{stored, before}.ledgerOf(name) // of the rule that has decided for it
			}
			if next == file {
				next = &set{byName: maps.Clone(file.byName), bytes: file.bytes}
			}
			one = one.copy()
			one.base = l
			one.use(from.With(one.allLimits(), true, now))
			next.byName[name] = one
		}
		unsaved = unsaved || one.Ledger != l
	}
	return next, unsaved
}

// recountFile gives the rules of the file the ledgers that follow from those of a set that comes into force.
func (r *Rules) recountFile(stored *set) {
	r.mu.Lock()
	defer r.mu.Unlock()
	file := r.file.Load()
	if file == nil {
		return
	}
	next, unsaved := countFile(file, file, stored, r.now())
	if r.unsaved.Store(unsaved); next != file {
		r.file.Store(next)
	}
}

// Clock sets the function that returns the time, in Unix nanoseconds. Call it before the first request.
func (r *Rules) Clock(now func() int64) { r.clock = now }

// now returns the time, 1 without a clock.
func (r *Rules) now() int64 {
	if r.clock == nil {
		return 1
	}
	return r.clock()
}

// HasUnsavedLedgers reports whether [Rules.SaveLedgers] has something to do.
func (r *Rules) HasUnsavedLedgers() bool { return r.unsaved.Load() }

// SaveLedgers stores the ledgers of the rules of the file. Of ledgers whose rules are gone, it keeps some.
// The transaction has the lock of the rules.
func (r *Rules) SaveLedgers(tx *store.Tx) {
	from := r.Load(tx)
	if from.file == nil {
		return
	}
	next := *from.stored
	next.ledgers = maps.Clone(next.ledgers)
	for _, one := range from.file.sorted() {
		if next.byName[one.Name] == nil {
			next.storeLedger(tx, one.Name, one.Ledger)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(next.ledgers)) {
		if len(next.ledgers) > maxLedgers && from.find([]byte(name)) == nil {
			next.dropLedger(tx, name)
		}
	}
	tx.Draft = &next
}
