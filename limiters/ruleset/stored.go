package ruleset

import (
	"bytes"
	"fmt"

	"cellserver/internal/rediserr"
	"cellserver/store"
	"cellserver/store/hash"
)

// Lock adds the partition of the stored rules to a footprint.
func (r *Rules) Lock(fp *store.Footprint) { fp.AddSlot(slot) }

// LockUnparsed adds the partition of the stored rules to the footprint of a command that only reads them. If
// they are parsed, it adds nothing. Then no client waits for the command.
func (r *Rules) LockUnparsed(fp *store.Footprint) {
	if !r.Sources().Parsed() {
		r.Lock(fp)
	}
}

// overrideField returns the field of an override. A scope has no spaces.
func overrideField(s *Scope, key string) []byte { return []byte(s.word() + " " + key) }

// word returns the name of the scope as a word.
func (s *Scope) word() string {
	if s.Name == "" {
		return noScope
	}
	return s.Name
}

// storeWhole makes the hash of a rule hold the rule and nothing else.
func (r *Rule) storeWhole(e *store.Entry) {
	e.StoreAll(hash.Type, store.NoExpiry, func(add func(store.Operands)) {
		add(store.Operands{Value: textField, More: []byte(r.text)})
		for i := range r.Scopes {
			s := &r.Scopes[i]
			s.overrides.each(func(key string, o *override) {
				add(store.Operands{Value: overrideField(s, key), More: []byte(o.text)})
			})
		}
	})
}

// read parses all stored rules.
func (r *Rules) read(tx *store.Tx) *set {
	db := tx.DB()
	tx.Select(store.Own)
	defer tx.Select(db)
	s, last := &set{byName: map[string]*Rule{}}, r.last()
	tx.EachIn(store.PartitionOf(slot), func(e *store.Entry) {
		if name, ok := bytes.CutPrefix(e.Key(), []byte(keyTag)); ok {
			one := readStored(string(name), e.Hash())
			last.shareCounts(one)
			s.put(one)
		} else if name, ok := bytes.CutPrefix(e.Key(), []byte(ledgerTag)); ok {
			s.putLedger(string(name), readLedger(e.Hash()))
		}
	})
	for name, one := range s.byName {
		one.use(s.ledgers[name])
	}
	return s
}

// readStored parses a stored rule. If it is wrong, a request to the rule gets its error.
func readStored(name string, h hash.Hash) *Rule {
	text, _ := h.Get(textField, nil)
	one, err := Parse(name, bytes.Fields(text))
	if err != nil {
		return &Rule{Name: name, text: string(text), Err: errStored(name, err)}
	}
	h.Each(func(field, limits []byte) bool {
		if len(field) == 0 {
			return true
		}
		scope, key, _ := bytes.Cut(field, []byte(" "))
		s, o, err := one.override(string(scope), string(key), bytes.Fields(limits))
		if err != nil {
			one.Err = errStored(name, err)
			return false
		}
		s.overrides = s.overrides.put(string(key), o)
		s.countMost()
		return true
	})
	return one
}

// errStored is the error of a stored rule that CL.RULE SET would not have stored.
func errStored(name string, err error) error {
	const form = "ERR the stored rule %s is wrong, so CL.RULE SET it again: %s"
	return rediserr.Error(fmt.Sprintf(form, name, plain(err)))
}

// Committed publishes what a transaction has changed. Its lock is held.
func (r *Rules) Committed(tx *store.Tx, effects []store.Effect) {
	if draft, ok := tx.Draft.(*set); ok {
		r.publish(draft)
		return
	}
	for i := range effects {
		if effects[i].DB == store.Own {
			r.follow(&effects[i])
		}
	}
}

// follow publishes an effect of another node, or one that takes a change back.
func (r *Rules) follow(f *store.Effect) {
	name, ok := bytes.CutPrefix(f.Key, []byte(keyTag))
	s := r.stored.Load()
	if rule, is := bytes.CutPrefix(f.Key, []byte(ledgerTag)); is && s != nil && f.Op != store.OpFlush {
		r.followLedger(s, string(rule), f)
		return
	}
	if s == nil || f.Op == store.OpFlush {
		r.Forget()
		return
	}
	if !ok {
		return // a key that is no rule
	}
	one := s.byName[string(name)]
	switch {
	case f.Op == store.OpDel:
		one = nil
	case f.Op == store.OpStore:
		one = readStored(string(name), hash.Of(f.Collection))
	case f.Op == store.OpChange:
		one = one.after(string(name), f)
	}
	if one != nil {
		r.with(s).shareCounts(one)
		one.use(s.ledgers[string(name)])
	}
	if f.Op == store.OpChange && (one == nil || one.Err != nil) {
		r.Forget() // the next request reads all of it
		return
	}
	r.publish(s.with(string(name), one))
}

// after returns the rule after a change of a field, nil if it must be read as a whole. The rule may be nil.
func (r *Rule) after(name string, f *store.Effect) *Rule {
	sets := f.Change == hash.Set
	if len(f.Value) == 0 && sets {
		one, err := Parse(name, bytes.Fields(f.More))
		if err != nil || one.keepOverrides(r) != nil {
			return nil
		}
		return one
	}
	if r == nil || r.Err != nil {
		return nil
	}
	scope, key, _ := bytes.Cut(f.Value, []byte(" "))
	one := r.copy()
	s := one.scopeOf(string(scope))
	switch {
	case s == nil && !sets:
		return one // the rule has lost the scope
	case !sets:
		s.overrides = s.overrides.with(string(key), nil)
	default:
		_, o, err := one.override(string(scope), string(key), bytes.Fields(f.More))
		if err != nil {
			return nil
		}
		s.overrides = s.overrides.with(string(key), o)
	}
	s.countMost()
	return one
}
