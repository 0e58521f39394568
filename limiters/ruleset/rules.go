package ruleset

import (
	"bytes"
	"cmp"
	"maps"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"cellserver/internal/rediserr"
	"cellserver/limiters"
	"cellserver/store"
)

// Rules are all rules that CL.CHECK may ask. The zero Rules is empty. Methods with a transaction
// need the lock of the key; all methods are safe for concurrent use.
//
// The key cl.rules is parsed at the first request after a change. A goroutine parses it and
// publishes the result under the lock of its partition. A commit that changes the key drops the
// result under the same lock.
type Rules struct {
	stored atomic.Pointer[set] // the rules of the committed key; nil if they must be parsed
	parsed atomic.Pointer[set] // the last parsed rules of the key
	file   atomic.Pointer[set] // the rules of the rules-file

	told    func(News)    // hears what changed; nil if nobody does
	watched func() Source // the state of the rules-file or the rules-url; nil if the server has neither

	mu     sync.Mutex // guards counts, and is held while parsed or file changes
	counts map[string]*counts
}

// key is the key of the rules of CL.RULE SET, in database 0.
var key = []byte("cl.rules")

const database = 0

// set is the rules of one source. A published set never changes.
type set struct {
	text   []byte // of the key
	byName map[string]*Rule
}

// Holds reports whether a key of a database is the key of the rules. The server never evicts this
// key.
func Holds(db int, k []byte) bool { return db == database && bytes.Equal(k, key) }

// Slot returns the hash slot of the key that holds the rules.
func Slot() uint16 { return store.Slot(key) }

// Committed drops the parsed rules if the effects of a transaction change their key.
func (r *Rules) Committed(effects []store.Effect) {
	for i := range effects {
		switch e := &effects[i]; e.Op {
		default:
			if len(e.Key) == len(key) && Holds(e.DB, e.Key) {
				r.stored.Store(nil)
			}
		case store.OpRename, store.OpMove:
			if db, other, _ := e.Other(); Holds(e.DB, e.Key) || Holds(db, other) {
				r.stored.Store(nil)
			}
		case store.OpFlush, store.OpSwapDB:
			if e.DB == database || e.Op == store.OpSwapDB && e.Int == database {
				r.stored.Store(nil)
			}
		}
	}
}

// Forget drops the parsed rules of the key. Call it if the key may have changed without a transaction.
func (r *Rules) Forget() { r.stored.Store(nil) }

// Lock adds the key of the rules to a footprint.
func (r *Rules) Lock(fp *store.Footprint) { fp.AddKey(key) }

// LockUnparsed adds the key of the rules to the footprint of a command that only reads them. If they are
// parsed, it adds nothing. Then no client waits for the command.
func (r *Rules) LockUnparsed(fp *store.Footprint) {
	if r.stored.Load() == nil {
		r.Lock(fp)
	}
}

// load returns the rules of the key. The transaction has locked the partition of the key.
func (r *Rules) load(tx *store.Tx) (*set, error) {
	e, done := entry(tx)
	defer done()
	if err := limiters.CheckString(&e); err != nil {
		return nil, err
	}
	text := e.Bytes(nil)
	s := r.parsed.Load()
	if s == nil || !bytes.Equal(s.text, text) {
		s = parseKey(text)
		r.adopt(s, &r.parsed, &r.file)
	}
	if tx.Changes() == 0 && e.ExpireAt() == store.NoExpiry {
		r.stored.Store(s)
	}
	return s, nil
}

// Load returns the sources for a transaction that has locked the partition of the key.
func (r *Rules) Load(tx *store.Tx) (Sources, error) {
	stored, err := r.load(tx)
	return r.with(stored), err
}

// entry selects database 0 and returns the entry of the key. done selects the previous database
// again.
func entry(tx *store.Tx) (e store.Entry, done func()) {
	db := tx.DB()
	tx.Select(database)
	return tx.Write(key), func() { tx.Select(db) }
}

// Sources are the two sets of all rules at one moment. A set never changes. So equal sources have the same
// rules.
type Sources struct {
	stored *set // nil if it must be parsed
	file   *set // may be nil
}

// Sources returns the sources of this moment.
func (r *Rules) Sources() Sources { return r.with(r.stored.Load()) }

// Parsed reports whether both sources are parsed.
func (s Sources) Parsed() bool { return s.stored != nil }

// find returns the rule of a name, nil if there is no such rule.
func (s Sources) find(name []byte) *Rule {
	if one := s.stored.byName[string(name)]; one != nil {
		return one
	}
	if s.file != nil {
		return s.file.byName[string(name)]
	}
	return nil
}

// with returns the sources with a set in the place of the stored one.
func (r *Rules) with(stored *set) Sources { return Sources{stored, r.file.Load()} }

// Default is the name of the rule that decides for each name without a rule of its own.
const Default = "default"

var defaultName = []byte(Default)

// Decides returns the rule that decides for a name, nil if there is none. The rule [Default] decides only for
// what may be the name of a rule.
func (s Sources) Decides(name []byte) *Rule {
	one := s.find(name)
	if one == nil && faultOf(name) == nil {
		one = s.find(defaultName)
	}
	return one
}

// Scopes returns how many keys a request to a name has, by the rules in force. It returns 1 for an unknown
// rule. It also returns 1 if nobody has parsed the rules and the transaction has not locked them. tx may be
// nil.
func (r *Rules) Scopes(tx *store.Tx, name []byte) int {
	stored := r.stored.Load()
	var fp store.Footprint
	if r.Lock(&fp); tx != nil && tx.Holds(&fp) {
		stored, _ = r.load(tx)
	}
	if stored == nil {
		return 1
	}
	if one := r.with(stored).Decides(name); one != nil {
		return max(1, len(one.Scopes))
	}
	return 1
}

// parseKey parses the lines of the key. A client may have written a wrong line with SET. Such a
// line becomes a rule with an error.
func parseKey(text []byte) *set {
	s := &set{text: bytes.Clone(text), byName: map[string]*Rule{}}
	for line := range bytes.Lines(text) {
		words := bytes.Fields(line)
		if len(words) > 0 && isOverride(words[1:]) {
			s.readOverride(string(words[0]), words[1:])
			continue
		}
		if len(words) == 0 || !isName(string(words[0])) || len(s.byName) == MaxRules {
			continue // the next CL.RULE SET removes the line
		}
		name := string(words[0])
		one, err := Parse(name, words[1:])
		if err != nil {
			text := string(bytes.Join(words[1:], []byte(" ")))
			one = &Rule{Name: name, text: text, Err: errWrongLine(name, err)}
		}
		s.byName[name] = one
	}
	return s
}

func errWrongLine(name string, err error) error {
	what := strings.TrimPrefix(err.Error(), "ERR ")
	return rediserr.Error("ERR the rule " + name + " in the key " + string(key) + " is wrong: " + what)
}

// sorted returns the rules, sorted by name.
func (s *set) sorted() []*Rule {
	byName := func(a, b *Rule) int { return strings.Compare(a.Name, b.Name) }
	return slices.SortedFunc(maps.Values(s.byName), byName)
}

// format returns the text of the key.
func (s *set) format() []byte {
	var b []byte
	for _, one := range s.sorted() {
		b = append(b, one.Name+" "+one.text+"\n"...)
		for _, o := range one.listOverrides() { // after their rule
			b = append(b, one.Name+" "+overrideWord+" "+o.Scope+" "+escapeKey(o.Key)+" "+o.Limits+"\n"...)
		}
	}
	return b
}

// adopt publishes a set: it stores the set in the pointer place. A rule takes over the counters of the rule
// that had the same name. The counters of names that are in no source any more are dropped.
func (r *Rules) adopt(s *set, place, other *atomic.Pointer[set]) {
	r.mu.Lock()
	defer r.mu.Unlock()
	kept := map[string]*counts{}
	for _, source := range []*set{s, other.Load()} {
		if source == nil {
			continue
		}
		for name := range source.byName {
			if kept[name] == nil {
				kept[name] = cmp.Or(r.counts[name], new(counts))
			}
		}
	}
	for name, one := range s.byName {
		if one.counts == nil { // a rule of the old set has its counters
			one.counts = kept[name]
		}
	}
	r.counts = kept
	place.Store(s)
}

// Report is the number of decisions of a rule, by outcome.
type Report struct {
	Name                       string
	Allowed, Limited, Shadowed int64
}

// Report returns the counters of all rules in force, sorted by name.
func (r *Rules) Report() (all []Report) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, name := range slices.Sorted(maps.Keys(r.counts)) {
		c := r.counts[name]
		all = append(all, Report{name, c.allowed.Load(), c.limited.Load(), c.shadowed.Load()})
	}
	return all
}

// ResetCounts sets all counters to zero.
func (r *Rules) ResetCounts() {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, c := range r.counts {
		for _, n := range []*atomic.Int64{&c.allowed, &c.limited, &c.shadowed} {
			n.Store(0)
		}
	}
}
