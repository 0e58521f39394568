package ruleset

import (
	"cmp"
	"maps"
	"math"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"cellserver/limiters"
	"cellserver/store"
)

// Rules are all rules that CL.CHECK may ask. The zero Rules is empty. Methods with a transaction need its
// lock ([Rules.Lock]); all methods are safe for concurrent use.
//
// The rules that are stored are parsed once. Each commit then publishes the parsed form of what it has
// changed.
type Rules struct {
	stored atomic.Pointer[set] // the rules of the last commit; nil if they must be parsed
	before atomic.Pointer[set] // the last rules that were parsed; nil for none
	file   atomic.Pointer[set] // the rules of the rules-file

	told    func(News)    // hears what changed; nil if nobody does
	clock   func() int64  // Unix nanoseconds; nil for a time of 0
	changed atomic.Int64  // when a rule has changed last
	unsaved atomic.Bool   // a ledger of a rule of the file is not stored yet
	watched func() Source // the state of the rules-file or the rules-url; nil if the server has neither

	mu sync.Mutex // held while a recording begins, and while the rules of the file change
}

// set is the rules of one source. A published set never changes.
type set struct {
	byName  map[string]*Rule
	ledgers map[string]*limiters.Ledger // by the name of the rule; only of stored rules
	bytes   int64                       // of memory, about
}

// with returns a copy of the set in which a name has another rule, or none if one is nil.
func (s *set) with(name string, one *Rule) *set {
	next := &set{make(map[string]*Rule, len(s.byName)+1), maps.Clone(s.ledgers), s.bytes}
	maps.Copy(next.byName, s.byName)
	if was := s.byName[name]; was != nil {
		delete(next.byName, name)
		next.bytes -= was.bytes()
	}
	if one != nil {
		next.put(one)
	}
	return next
}

// put adds a rule of a new name to a set that is not published.
func (s *set) put(one *Rule) {
	s.byName[one.Name] = one
	s.bytes += one.bytes()
}

// Forget makes the next transaction parse the stored rules. Call it if they may have changed without a
// transaction.
func (r *Rules) Forget() { r.stored.Store(nil) }

// Load returns the sources for a transaction that has the lock, with what it has changed so far.
func (r *Rules) Load(tx *store.Tx) Sources {
	if draft, ok := tx.Draft.(*set); ok {
		return r.with(draft)
	}
	s := r.stored.Load()
	if s == nil {
		s = r.read(tx)
		r.publish(s)
	}
	return r.with(s)
}

// seenBy returns the sources for a transaction that may have the lock. It may be nil.
func (r *Rules) seenBy(tx *store.Tx) Sources {
	var fp store.Footprint
	if r.Lock(&fp); tx != nil && tx.Holds(&fp) {
		return r.Load(tx)
	}
	return r.Sources()
}

// publish makes a set the stored rules.
func (r *Rules) publish(s *set) {
	r.recountFile(s) // before a request can see that the stored rule is gone
	r.before.Store(s)
	r.changed.Store(r.now())
	r.stored.Store(s)
}

// ChangedAt returns when a rule has changed last, or was learned, in Unix nanoseconds. No rule of now has
// counted an earlier request for sure. A transaction that changes rules has changed them at its end.
func (r *Rules) ChangedAt(tx *store.Tx) int64 {
	if _, changes := tx.Draft.(*set); changes {
		return math.MaxInt64
	}
	return r.changed.Load()
}

// Sources are the two sets of all rules at one moment. A set never changes. So equal sources have the same
// rules.
type Sources struct {
	stored *set // nil if they must be parsed
	file   *set // may be nil
}

// Sources returns the sources of this moment.
func (r *Rules) Sources() Sources { return r.with(r.stored.Load()) }

// Parsed reports whether both sources are parsed.
func (s Sources) Parsed() bool { return s.stored != nil }

// find returns the rule of a name, nil if there is no such rule.
func (s Sources) find(name []byte) *Rule {
	if one := s.stored.byName[string(name)]; one != nil || s.file == nil {
		return one
	}
	return s.file.byName[string(name)]
}

// with returns the sources with a set in the place of the stored one.
func (r *Rules) with(stored *set) Sources { return Sources{stored, r.file.Load()} }

// Default is the name of the rule that decides for each name without a rule of its own.
const Default = "default"

var defaultName = []byte(Default)

// Decides returns the rule that decides for a name, nil if there is none. The rule [Default] decides only for
// what may be the name of a rule.
func (s Sources) Decides(name []byte) *Rule {
	if one := s.find(name); one != nil || faultOf(name) != nil {
		return one
	}
	return s.find(defaultName)
}

// sorted returns the rules, sorted by name.
func (s *set) sorted() []*Rule {
	byName := func(a, b *Rule) int { return strings.Compare(a.Name, b.Name) }
	return slices.SortedFunc(maps.Values(s.byName), byName)
}

// shareCounts gives a rule the counters of the rule in force that has its name.
func (s Sources) shareCounts(one *Rule) {
	if one.counts == nil {
		one.counts = new(counts)
		if was := s.find([]byte(one.Name)); was != nil {
			one.counts = was.counts
		}
	}
}

// last returns the last sources that were parsed.
func (r *Rules) last() Sources { return r.with(cmp.Or(r.before.Load(), &set{})) }

// inForce returns the stored rules, and those rules of the file that no stored rule replaces. They are sorted
// by name.
func (s Sources) inForce() []*Rule {
	all := &set{byName: map[string]*Rule{}}
	if s.file != nil {
		maps.Copy(all.byName, s.file.byName)
	}
	maps.Copy(all.byName, s.stored.byName)
	return all.sorted()
}
