package commands

import (
	"bytes"
	"cmp"
	"maps"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"cellserver/store"
)

// rules are what CL.CHECK may ask. A rule that CL.RULE SET made goes before one of the
// same name in the rules-file, until CL.RULE DEL.
//
// Those of CL.RULE live in a string key of database 0, one to a line, and so are saved,
// logged, dumped and flushed like any key. They are parsed when they are first asked for
// after a change: parsing and publishing happens while the key's partition is locked, and
// so does taking back what is published, when a change of the key is committed.
type rules struct {
	stored atomic.Pointer[ruleSet] // what the key holds; nil when that has to be looked up
	parsed atomic.Pointer[ruleSet] // what the key held when it was last parsed
	file   atomic.Pointer[ruleSet] // of the rules-file

	mu     sync.Mutex // guards counts, and is held while parsed or file changes
	counts map[string]*ruleCounts
}

// rulesKey holds the rules that CL.RULE SET made, in database 0.
var rulesKey = []byte("cl.rules")

const rulesDB = 0

// ruleSet are the rules of one source. It is never changed.
type ruleSet struct {
	text   []byte // that was parsed, of the key
	byName map[string]*rule
}

// IsRules reports whether a key holds rules: such a key is not evicted.
func IsRules(db int, key []byte) bool { return db == rulesDB && bytes.Equal(key, rulesKey) }

// committed takes back what is published when the key has changed.
func (r *rules) committed(effects []store.Effect) {
	for i := range effects {
		switch e := &effects[i]; e.Op {
		default:
			if len(e.Key) == len(rulesKey) && IsRules(e.DB, e.Key) {
				r.stored.Store(nil)
			}
		case store.OpFlush, store.OpSwapDB:
			if e.DB == rulesDB || e.Op == store.OpSwapDB && e.Int == rulesDB {
				r.stored.Store(nil)
			}
		}
	}
}

// lock adds what reading the rules needs to a footprint.
func (r *rules) lock(fp *store.Footprint) { fp.AddKey(rulesKey) }

// load returns the rules that the key holds. Its partition must be locked.
func (r *rules) load(tx *store.Tx) (*ruleSet, error) {
	e, done := rulesEntry(tx)
	defer done()
	if err := stringEntry(&e); err != nil {
		return nil, err
	}
	text := e.Bytes(nil)
	set := r.parsed.Load()
	if set == nil || !bytes.Equal(set.text, text) {
		set = parseStored(text)
		r.adopt(set, &r.parsed, &r.file)
	}
	if tx.Changes() == 0 && e.ExpireAt() == store.NoExpiry {
		r.stored.Store(set)
	}
	return set, nil
}

// rulesEntry finds the key, whatever database the transaction is in, to which it returns
// once that is done.
func rulesEntry(tx *store.Tx) (e store.Entry, done func()) {
	db := tx.DB()
	tx.Select(rulesDB)
	return tx.Write(rulesKey), func() { tx.Select(db) }
}

// find returns the rule of a name, nil when there is none.
func (r *rules) find(stored *ruleSet, name []byte) *rule {
	if one := stored.byName[string(name)]; one != nil {
		return one
	}
	if file := r.file.Load(); file != nil {
		return file.byName[string(name)]
	}
	return nil
}

// parseStored reads the lines of the key. One that is wrong, because someone wrote the
// key by hand, is a rule that cannot be asked.
func parseStored(text []byte) *ruleSet {
	set := &ruleSet{text: bytes.Clone(text), byName: map[string]*rule{}}
	for line := range bytes.Lines(text) {
		words := bytes.Fields(line)
		if len(words) == 0 || !isRuleName(string(words[0])) || len(set.byName) == mostRules {
			continue // no rule: the next CL.RULE SET drops the line
		}
		name := string(words[0])
		one, err := parseRule(name, words[1:])
		if err != nil {
			one = &rule{name: name, text: string(bytes.Join(words[1:], []byte(" "))), err: brokenRule(name, err)}
		}
		set.byName[name] = one
	}
	return set
}

func brokenRule(name string, err error) error {
	return Error("ERR the rule " + name + " in the key " + string(rulesKey) + " is wrong: " + strings.TrimPrefix(err.Error(), "ERR "))
}

// sorted returns the rules by name.
func (s *ruleSet) sorted() []*rule {
	return slices.SortedFunc(maps.Values(s.byName), func(a, b *rule) int { return strings.Compare(a.name, b.name) })
}

// format is what the key holds.
func (s *ruleSet) format() []byte {
	var b []byte
	for _, one := range s.sorted() {
		b = append(b, one.name+" "+one.text+"\n"...)
	}
	return b
}

// adopt puts a set in its place and gives its rules their counters: those of a rule of the
// same name before. The counters of names that are in neither place any more go.
func (r *rules) adopt(set *ruleSet, place, other *atomic.Pointer[ruleSet]) {
	r.mu.Lock()
	defer r.mu.Unlock()
	kept := map[string]*ruleCounts{}
	for _, s := range []*ruleSet{set, other.Load()} {
		if s == nil {
			continue
		}
		for name := range s.byName {
			if kept[name] == nil {
				kept[name] = cmp.Or(r.counts[name], new(ruleCounts))
			}
		}
	}
	for name, one := range set.byName {
		if one.counts == nil { // a rule that was in force before has them
			one.counts = kept[name]
		}
	}
	r.counts = kept
	place.Store(set)
}

// ruleReport is what a rule has decided.
type ruleReport struct {
	name                       string
	allowed, limited, shadowed int64
}

// report returns the counters of all rules that are known, by name.
func (r *rules) report() (all []ruleReport) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, name := range slices.Sorted(maps.Keys(r.counts)) {
		c := r.counts[name]
		all = append(all, ruleReport{name, c.allowed.Load(), c.limited.Load(), c.shadowed.Load()})
	}
	return all
}

// resetCounts sets all counters to zero.
func (r *rules) resetCounts() {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, c := range r.counts {
		for _, n := range []*atomic.Int64{&c.allowed, &c.limited, &c.shadowed} {
			n.Store(0)
		}
	}
}
