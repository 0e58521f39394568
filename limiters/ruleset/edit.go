package ruleset

import (
	"encoding/json"
	"maps"

	"cellserver/internal/rediserr"
	"cellserver/store"
)

// The functions of this file run in a transaction that has locked the key of the rules
// ([Rules.Lock]).

const errFileRule rediserr.Error = "ERR the rule comes from the rules-file: delete it there"

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
	stored, err := r.load(tx)
	if err != nil {
		return err
	}
	if err := one.keepOverrides(stored.byName[name]); err != nil {
		return err
	}
	return r.put(tx, stored, one)
}

// SetJSON stores a whole rule, with its overrides.
func (r *Rules) SetJSON(tx *store.Tx, name string, text []byte) error {
	one, err := parseJSON(name, text)
	if err != nil {
		return err
	}
	stored, err := r.load(tx)
	if err != nil {
		return err
	}
	return r.put(tx, stored, one)
}

// Override gives a key of a scope limits of its own. words are the limits, as in CL.RULE SET without
// SCOPE and SHADOW. Without words, Override removes them again, and reports whether there were any.
func (r *Rules) Override(tx *store.Tx, name, scope string, key []byte, words [][]byte) (had bool, err error) {
	stored, err := r.load(tx)
	if err != nil {
		return false, err
	}
	one := stored.byName[name]
	switch {
	case one == nil && r.with(stored).find([]byte(name)) != nil:
		return false, errFileRule
	case one == nil:
		return false, NoRule(name)
	case one.Err != nil:
		return false, one.Err
	}
	next := one.copy()
	if had, err = next.setOverride(scope, string(key), words); err != nil {
		return false, err
	}
	all := stored.without(name)
	all.byName[name] = next
	r.write(tx, all)
	return had, nil
}

// put stores a rule. It replaces a rule with the same name.
func (r *Rules) put(tx *store.Tx, stored *set, one *Rule) error {
	next := stored.without(one.Name)
	if len(next.byName) == MaxRules {
		return ErrMaxRules
	}
	next.byName[one.Name] = one
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
		if r.with(stored).find(name) != nil {
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
	if one := r.with(stored).find(name); one != nil {
		return one.text, true, nil
	}
	return "", false, nil
}

// GetJSON returns a rule in JSON, nil if there is no such rule.
func (r *Rules) GetJSON(tx *store.Tx, name []byte) ([]byte, error) {
	stored, err := r.load(tx)
	if err != nil {
		return nil, err
	}
	one := r.with(stored).find(name)
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
	stored, err := r.load(tx)
	if err != nil {
		return nil, err
	}
	all := object{}
	for _, one := range r.inForce(stored) {
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
func (r *Rules) List(tx *store.Tx) ([]Listed, error) {
	stored, err := r.load(tx)
	if err != nil {
		return nil, err
	}
	var list []Listed
	all := r.with(stored)
	for _, one := range r.inForce(stored) {
		list = append(list, Listed{
			one.Name, one.text, one.Source(), one.listOverrides(), all.hidden(one.Name),
		})
	}
	return list, nil
}

// inForce returns the rules of the key, and those rules of the file that no rule of the key replaces. They
// are sorted by name.
func (r *Rules) inForce(stored *set) []*Rule {
	all := &set{byName: map[string]*Rule{}}
	for _, source := range []*set{r.file.Load(), stored} {
		if source != nil {
			maps.Copy(all.byName, source.byName)
		}
	}
	return all.sorted()
}

// without returns a copy of the set without the rule of a name.
func (s *set) without(name string) *set {
	next := &set{byName: map[string]*Rule{}}
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
