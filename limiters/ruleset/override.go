package ruleset

import (
	"bytes"
	"encoding/hex"
	"fmt"
	"maps"
	"slices"
	"strings"

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

// noScope is the word for the scope of a rule without SCOPE.
const noScope = "-"

// Errors of overrides.
var (
	ErrNoScope     = rediserr.Error("ERR the rule has no such scope; the scope of a rule without SCOPE is -")
	ErrOverrideKey = rediserr.Error(fmt.Sprintf("ERR the key of an override has at most %d bytes",
		MaxOverrideKeyBytes))
	ErrMaxOverrides = rediserr.Error(fmt.Sprintf("ERR a rule has at most %d overrides", MaxOverrides))
)

// copy returns a copy of a rule whose overrides can change.
func (r *Rule) copy() *Rule {
	next := *r
	next.Scopes = slices.Clone(r.Scopes)
	for i := range next.Scopes {
		next.Scopes[i].overrides = maps.Clone(next.Scopes[i].overrides)
	}
	return &next
}

// scopeOf returns the scope that an override names, nil if there is none.
func (r *Rule) scopeOf(name string) *Scope {
	if s := r.scope(name); s != nil || name != noScope {
		return s
	}
	return r.scope("")
}

// setOverride is override for new words of a client. It also checks for faults that stored overrides may
// have.
func (r *Rule) setOverride(scopeName, key string, words [][]byte) (had bool, err error) {
	if had, err = r.override(scopeName, key, words); err != nil || len(words) == 0 {
		return had, err
	}
	return had, faultOfLimits(r.scopeOf(scopeName).overrides[key].limits)
}

// override sets or removes the override of a key. The rule is not published yet.
func (r *Rule) override(scopeName, key string, words [][]byte) (had bool, err error) {
	s := r.scopeOf(scopeName)
	switch {
	case s == nil || scopeName == "":
		return false, ErrNoScope
	case len(key) > MaxOverrideKeyBytes:
		return false, ErrOverrideKey
	}
	had = s.overrides[key] != nil
	if len(words) == 0 {
		delete(s.overrides, key)
		s.countMost()
		return had, nil
	}
	o, err := s.parseOverride(words)
	switch {
	case err != nil:
		return had, err
	case !had && r.overrides() == MaxOverrides:
		return had, ErrMaxOverrides
	case r.most()+max(len(o.limits)-s.most, 0) > MaxLimits:
		return had, ErrLimits
	case s.overrides == nil:
		s.overrides = map[string]*override{}
	}
	s.overrides[key] = o
	if s.most = max(s.most, len(o.limits)); had {
		s.countMost()
	}
	return had, nil
}

// parseOverride parses the limits of an override. Their states have the keys that the limits of the
// scope would have, so the used quantity stays used.
func (s *Scope) parseOverride(words [][]byte) (*override, error) {
	text := string(bytes.Join(words, []byte(" ")))
	if len(text) > MaxRuleBytes {
		return nil, ErrRuleBytes
	}
	own := Scope{Name: s.Name, rule: s.rule}
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
		n += len(r.Scopes[i].overrides)
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
	s.most = len(s.Limits)
	for _, o := range s.overrides {
		s.most = max(s.most, len(o.limits))
	}
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
		name := s.Name
		if name == "" {
			name = noScope
		}
		for _, key := range slices.Sorted(maps.Keys(s.overrides)) {
			all = append(all, Overridden{name, key, s.overrides[key].text})
		}
	}
	return all
}

// overrideWord is the second word of a line of the key that has an override: "llm OVERRIDE org acme CL.WINDOW
// 9 60".
const overrideWord = "OVERRIDE"

// isOverride reports whether the words of a line after the name are an override.
func isOverride(words [][]byte) bool { return len(words) > 3 && word.Is(words[0], "override") }

// readOverride applies the line of an override. A wrong line is dropped with the next change.
func (s *set) readOverride(name string, words [][]byte) {
	if r := s.byName[name]; r != nil && r.Err == nil {
		_, _ = r.override(string(words[1]), unescapeKey(string(words[2])), words[3:])
	}
}

// escapeKey writes a key as one word: as it is, with %XX for each byte that is a space or not printable.
func escapeKey(key string) string {
	var b strings.Builder
	for _, c := range []byte(key) {
		if c > ' ' && c < 0x7f && c != '%' {
			b.WriteByte(c)
		} else {
			fmt.Fprintf(&b, "%%%02x", c)
		}
	}
	if key == "" {
		return "%"
	}
	return b.String()
}

// unescapeKey is the inverse of escapeKey.
func unescapeKey(text string) string {
	var b strings.Builder
	for i := 0; i < len(text); i++ {
		if text[i] == '%' {
			if c, err := hex.DecodeString(text[i+1 : min(i+3, len(text))]); err == nil && len(c) == 1 {
				b.Write(c)
				i += 2
			}
			continue
		}
		b.WriteByte(text[i])
	}
	return b.String()
}
