package rules

import (
	"cellserver/internal/rediserr"
	"cellserver/store"
)

// The functions of this file run in a transaction that has locked the key of the rules
// ([Rules.Lock]).

const errFileRule rediserr.Error = "ERR the rule comes from the rules-file: delete it there"

// Set stores a rule under a name. words are the limits, as in CL.RULE SET. Errors are error
// replies, and then nothing changes.
func (r *Rules) Set(tx *store.Tx, name string, words [][]byte) error {
	one, err := parse(name, words)
	if err != nil {
		return err
	}
	stored, err := r.load(tx)
	if err != nil {
		return err
	}
	if err := one.keepOverrides(stored.byName[name]); err != nil {
		return err
	}
	next := stored.without(name)
	if len(next.byName) == MaxRules {
		return ErrMaxRules
	}
	next.byName[name] = one
	r.write(tx, next)
	return nil
}

// Delete removes a rule of the key, and reports whether there was such a rule. A rule of the
// rules-file is an error.
func (r *Rules) Delete(tx *store.Tx, name []byte) (bool, error) {
	stored, err := r.load(tx)
	if err != nil {
		return false, err
	}
	if stored.byName[string(name)] == nil {
		if r.find(stored, name) != nil {
			return false, errFileRule
		}
		return false, nil
	}
	r.write(tx, stored.without(string(name)))
	return true, nil
}

// Get returns the limits of a rule as text, and whether there is such a rule.
func (r *Rules) Get(tx *store.Tx, name []byte) (text string, found bool, err error) {
	stored, err := r.load(tx)
	if err != nil {
		return "", false, err
	}
	if one := r.find(stored, name); one != nil {
		return one.text, true, nil
	}
	return "", false, nil
}

// Listed is a rule in force. Source is "key" or "file".
type Listed struct {
	Name, Limits, Source string
	Overrides            []Overridden
}

// List returns all rules in force, sorted by name.
func (r *Rules) List(tx *store.Tx) ([]Listed, error) {
	stored, err := r.load(tx)
	if err != nil {
		return nil, err
	}
	all := &set{byName: map[string]*rule{}}
	for _, source := range []*set{r.file.Load(), stored} {
		if source != nil {
			for name, one := range source.byName {
				all.byName[name] = one
			}
		}
	}
	var list []Listed
	for _, one := range all.sorted() {
		list = append(list, Listed{one.name, one.text, one.source(), one.listOverrides()})
	}
	return list, nil
}

// without returns a copy of the set without the rule of a name.
func (s *set) without(name string) *set {
	next := &set{byName: map[string]*rule{}}
	for other, one := range s.byName {
		if other != name {
			next.byName[other] = one
		}
	}
	return next
}

// write stores a set in the key.
func (r *Rules) write(tx *store.Tx, s *set) {
	e, done := entry(tx)
	defer done()
	s.text = s.format()
	r.adopt(s, &r.parsed, &r.file)
	if len(s.text) == 0 {
		e.Delete()
	} else {
		e.SetBytes(s.text, e.ExpireAt())
	}
}
