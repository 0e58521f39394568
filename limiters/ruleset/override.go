package ruleset

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"strings"

	"cellserver/internal/quote"
	"cellserver/internal/rediserr"
	"cellserver/internal/word"
)

// override has the limits of one key of a scope, in the place of the limits of the scope.
type override struct {
	limits []Limit
	text   string // as in CL.RULE OVERRIDE
}

// Bounds of overrides.
const (
	MaxOverrides        = 4096 // of one rule
	MaxOverrideKeyBytes = 512
)

// Errors of overrides.
var (
	ErrOverrideKey = rediserr.Error(fmt.Sprintf("ERR the key of an override has at most %d bytes",
		MaxOverrideKeyBytes))
	errShadow       = rediserr.Error("ERR SHADOW is of a whole rule: leave it out")
	ErrMaxOverrides = rediserr.Error(fmt.Sprintf("ERR a rule has at most %d overrides", MaxOverrides))
)

// copy returns a copy of a rule whose scopes can change.
func (r *Rule) copy() *Rule {
	next := *r
	next.Scopes = slices.Clone(r.Scopes)
	return &next
}

// scopeOf returns the scope that an override names, nil if there is none.
func (r *Rule) scopeOf(name string) *Scope {
	if s := r.scope(name); s != nil || name != noScope {
		return s
	}
	return r.scope("")
}

// ScopesError is the error of a request that does not fit the scopes of the rule. `what` is wrong if there are
// scopes; `without` says what to do if the rule is without SCOPE.
func (r *Rule) ScopesError(what, without string) error {
	if r.Scopes[0].Name == "" {
		return rediserr.Error("ERR the rule " + r.Name + " has no scopes: " + without)
	}
	var names []string
	for i := range r.Scopes {
		names = append(names, r.Scopes[i].Name)
	}
	list := strings.Join(names, ", ")
	return rediserr.Error("ERR the rule " + r.Name + " has the scopes " + list + ": " + what)
}

// newOverride is override for new words of a client. It also checks for faults that stored overrides may
// have. Without words there is no override.
func (r *Rule) newOverride(scopeName, key string, words [][]byte) (s *Scope, o *override, err error) {
	if s, o, err = r.override(scopeName, key, words); err == nil && o != nil {
		err = cmp.Or(faultOfNetwork(key), faultOfLimits(o.limits))
	}
	return s, o, err
}

// override parses an override of the rule. The caller puts it into its scope.
func (r *Rule) override(scopeName, key string, words [][]byte) (s *Scope, o *override, err error) {
	s = r.scopeOf(scopeName)
	switch {
	case s == nil || scopeName == "":
		said := quote.Word(scopeName)
		return nil, nil, r.ScopesError(said+" is not one of them", "write - in the place of "+said)
	case len(key) > MaxOverrideKeyBytes:
		return nil, nil, ErrOverrideKey
	case len(words) == 0:
		return s, nil, nil
	}
	o, err = s.parseOverride(words)
	switch {
	case err != nil:
	case s.overrides.get([]byte(key)) == nil && r.overrides() == MaxOverrides:
		err = ErrMaxOverrides
	case r.most()+max(len(o.limits)-s.most, 0) > MaxLimits:
		err = ErrLimits
	}
	return s, o, err
}

// parseOverride parses the limits of an override. Their states have the keys that the limits of the
// scope would have, so the used quantity stays used.
func (s *Scope) parseOverride(words [][]byte) (*override, error) {
	words, err := commandsOf(words, s.word())
	if err != nil {
		return nil, err
	}
	if last := len(words) - 1; last >= 0 && word.Is(words[last], "shadow") {
		return nil, errShadow
	}
	text := string(bytes.Join(words, space))
	if len(text) > MaxRuleBytes {
		return nil, ErrRuleBytes
	}
	own := Scope{Name: s.Name}
	for rest := words; rest != nil; {
		words, rest = cutAnd(rest)
		if err := own.add(words); err != nil {
			return nil, err
		}
	}
	return &override{own.Limits, text}, nil
}

// overrides returns the number of overrides.
func (r *Rule) overrides() (n int) {
	for i := range r.Scopes {
		n += r.Scopes[i].overrides.len()
	}
	return n
}

// most returns the largest number of limits that one request may have.
func (r *Rule) most() (n int) {
	for i := range r.Scopes {
		n += r.Scopes[i].most
	}
	return n
}

// countMost counts the largest number of limits that a key of the scope may have.
func (s *Scope) countMost() {
	s.most = max(len(s.Limits), s.overrides.most())
}

// keepOverrides takes over the overrides of the previous rule, for the scopes that still exist.
func (r *Rule) keepOverrides(before *Rule) error {
	if before == nil || before.Err != nil {
		return nil
	}
	for i := range r.Scopes {
		if s := before.scope(r.Scopes[i].Name); s != nil {
			r.Scopes[i].overrides = s.overrides
			r.Scopes[i].countMost()
		}
	}
	if r.most() > MaxLimits {
		return ErrLimits
	}
	return nil
}

// Overridden is one override: the key of a scope, and its limits.
type Overridden struct{ Scope, Key, Limits string }

// listOverrides returns the overrides, sorted by scope and key.
func (r *Rule) listOverrides() (all []Overridden) {
	for i := range r.Scopes {
		s := &r.Scopes[i]
		for _, key := range s.overrides.keys() {
			all = append(all, Overridden{s.word(), key, s.overrides.get([]byte(key)).text})
		}
	}
	return all
}
