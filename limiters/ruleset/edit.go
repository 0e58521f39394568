package ruleset

import (
	"encoding/json"
	"fmt"

	"cellserver/internal/quote"
	"cellserver/internal/rediserr"
	"cellserver/store"
)

// The functions of this file run in a transaction that has the lock of the rules ([Rules.Lock]).

// MaxBytes is the most memory of all stored rules, about, without their texts in the store.
const MaxBytes = 256 << 20

// ErrMaxBytes is the reply to a change that would exceed [MaxBytes].
var ErrMaxBytes = rediserr.Error(fmt.Sprintf(
	"ERR the rules take at most %d bytes of memory: first delete rules or overrides that nobody needs",
	MaxBytes))

// errFileRule is the error of a change that only the rules-file can make.
func errFileRule[T string | []byte](name T, change string) error {
	return rediserr.Error("ERR the rule " + quote.Word(name) + " comes from the rules-file or rules-url: " + change + " there")
}

// Set stores a rule under a name. words are the limits, as in CL.RULE SET. The overrides of the name stay.
// Errors are error replies. After an error nothing has changed.
func (r *Rules) Set(tx *store.Tx, name string, words [][]byte) error {
	one, err := Parse(name, words)
	if err == nil {
		err = one.fault()
	}
	if err != nil {
		return err
	}
	from := r.Load(tx)
	before := from.stored.byName[name]
	if err := one.keepOverrides(before); err != nil {
		return err
	}
	one.use(from.ledgerOf(name).With(one.allLimits(), true, tx.Now()))
	return r.put(tx, from, one, func(e *store.Entry) {
		if before == nil || before.Err != nil {
			one.storeWhole(e)
			return
		}
		setField(e, textField, one.text)
		for i := range before.Scopes {
			if s := &before.Scopes[i]; one.scope(s.Name) == nil {
				s.overrides.each(func(key string, _ *override) { removeField(e, overrideField(s, key)) })
			}
		}
	})
}

// SetJSON stores a whole rule, with its overrides.
func (r *Rules) SetJSON(tx *store.Tx, name string, text []byte) error {
	one, err := parseJSON(name, text)
	if err != nil {
		return err
	}
	from := r.Load(tx)
	one.use(from.ledgerOf(name).With(one.allLimits(), true, tx.Now()))
	return r.put(tx, from, one, one.storeWhole)
}

// Override gives a key of a scope limits of its own. words are the limits, as in CL.RULE SET without
// SCOPE and SHADOW. Without words, Override removes them again, and reports whether there were any.
func (r *Rules) Override(tx *store.Tx, name, scope string, key []byte, words [][]byte) (had bool, err error) {
	from := r.Load(tx)
	one := from.stored.byName[name]
	switch {
	case one == nil && from.find([]byte(name)) != nil:
		return false, errFileRule(name, "write its overrides")
	case one == nil:
		return false, NoRule(name)
	case one.Err != nil:
		return false, one.Err
	}
	next := one.copy()
	s, o, err := next.newOverride(scope, string(key), words)
	if err != nil {
		return false, err
	}
	had = s.overrides.get(key) != nil
	s.overrides = s.overrides.with(string(key), o)
	s.countMost()
	next.countOverride(from.ledgerOf(name), o, tx.Now())
	return had, r.put(tx, from, next, func(e *store.Entry) {
		if o == nil {
			removeField(e, overrideField(s, string(key)))
		} else {
			setField(e, overrideField(s, string(key)), o.text)
		}
	})
}

// put makes a rule the one of its name, in the place of what was there. write writes what has changed.
func (r *Rules) put(tx *store.Tx, from Sources, one *Rule, write func(e *store.Entry)) error {
	next := from.stored.with(one.Name, one)
	switch {
	case len(next.byName) > MaxRules:
		return ErrMaxRules
	case next.bytes > MaxBytes && next.bytes > from.stored.bytes:
		return ErrMaxBytes
	}
	from.shareCounts(one)
	next.storeLedger(tx, one.Name, one.Ledger) // first, so that a follower has the tags of the limits
	changeKey(tx, keyTag+one.Name, write)
	tx.Draft = next
	return nil
}

// Delete removes a stored rule, and reports whether there was such a rule. A rule of the
// rules-file is an error.
func (r *Rules) Delete(tx *store.Tx, name []byte) (bool, error) {
	from := r.Load(tx)
	if from.stored.byName[string(name)] == nil {
		if from.find(name) != nil {
			return false, errFileRule(name, "delete it")
		}
		return false, nil
	}
	changeKey(tx, keyTag+string(name), func(e *store.Entry) { e.Delete() })
	next := from.stored.with(string(name), nil)
	if from.file == nil || from.file.byName[string(name)] == nil {
		next.dropLedger(tx, string(name))
	} else {
		next.storeLedger(tx, string(name), from.ledgerOf(string(name))) // the rule of the file goes on with it
	}
	tx.Draft = next
	return true, nil
}

// Get returns the limits of a rule as text, and whether there is such a rule.
func (r *Rules) Get(tx *store.Tx, name []byte) (text string, found bool) {
	if one := r.Load(tx).find(name); one != nil {
		return one.text, true
	}
	return "", false
}

// GetJSON returns a rule in JSON, nil if there is no such rule.
func (r *Rules) GetJSON(tx *store.Tx, name []byte) ([]byte, error) {
	one := r.Load(tx).find(name)
	switch {
	case one == nil:
		return nil, nil
	case one.Err != nil:
		return nil, one.Err
	}
	o, err := one.object()
	if err != nil {
		return nil, err
	}
	return json.Marshal(o)
}

// ListJSON returns all rules in force in JSON: what a rules-file would have.
func (r *Rules) ListJSON(tx *store.Tx) ([]byte, error) {
	all := object{}
	for _, one := range r.Load(tx).inForce() {
		o, err := one.object()
		if err != nil {
			return nil, err
		}
		all = append(all, field{one.Name, o})
	}
	return json.Marshal(object{{"rules", all}})
}

// Listed is a rule in force. Source is "key" or "file". Hides has the limits of the rule of the file that
// the rule hides, "" if it hides none.
type Listed struct {
	Name, Limits, Source string
	Overrides            []Overridden
	Hides                string
}

// List returns all rules in force, sorted by name.
func (r *Rules) List(tx *store.Tx) (list []Listed) {
	from := r.Load(tx)
	for _, one := range from.inForce() {
		list = append(list, Listed{
			one.Name, one.text, one.Source(), one.listOverrides(), from.hidden(one.Name),
		})
	}
	return list
}
