package ruleset

import (
	"fmt"

	"cellserver/internal/rediserr"
	"cellserver/store"
)

// Errors of a trial.
var (
	ErrRecordings = rediserr.Error(fmt.Sprintf(
		"ERR somebody already tries limits for %d other rules: try again in two minutes", MaxRecordings))
	ErrTrialScopes = rediserr.Error("ERR the limits must have the scopes of the rule, in the same order")
)

// Known returns a rule in force. Without the lock, the rules may have changed at this moment.
func (r *Rules) Known(tx *store.Tx, name string) (*Rule, error) {
	from := r.seenBy(tx)
	if !from.Parsed() {
		from = r.last()
	}
	one := from.find([]byte(name))
	if one == nil {
		return nil, NoRule(name)
	}
	return one, one.Err
}

// RecordingOf returns the recording of a rule, and makes one if there is none.
func (r *Rules) RecordingOf(one *Rule, now int64) (*Recording, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	counts, recordings := one.counts, 0
	for _, other := range r.last().inForce() {
		c := other.counts
		if t := c.recording.Load(); t != nil && t.hasEnded(now) {
			c.recording.CompareAndSwap(t, nil)
		} else if t != nil && c != counts {
			recordings++
		}
	}
	if t := counts.recording.Load(); t != nil {
		return t, nil
	}
	if recordings >= MaxRecordings {
		return nil, ErrRecordings
	}
	t := newRecording(now)
	counts.recording.Store(t)
	return t, nil
}

// Count counts the decision of a request, and adds the request to the recording of the rule, if there is one.
// asked is the name in the request.
func (r *Rule) Count(one Recorded, asked []byte, keys [][]byte) {
	if t := r.counts.recording.Load(); t != nil {
		r.record(t, one, asked, keys)
	}
	switch {
	case !one.Limited:
		r.counts.allowed.Add(1)
	case r.Shadow:
		r.counts.shadowed.Add(1)
	default:
		r.counts.limited.Add(1)
	}
}

// record adds a request to a recording of the rule. asked is the name in the request.
func (r *Rule) record(t *Recording, one Recorded, asked []byte, keys [][]byte) {
	one.Asked = HashOf(asked)
	var hashes [MaxLimits]uint64
	for i, key := range keys {
		hashes[i] = HashOf(key)
	}
	if !t.add(one, hashes[:len(keys)]) {
		r.counts.recording.CompareAndSwap(t, nil)
	}
}

// Variant returns the rule with other limits, which may not have other scopes.
func (r *Rule) Variant(words [][]byte) (*Rule, error) {
	other, err := Parse(r.Name, words)
	if err == nil {
		err = other.fault()
	}
	if err == nil {
		err = other.keepOverrides(r)
	}
	if err == nil && !other.hasScopesOf(r) {
		err = ErrTrialScopes
	}
	return other, err
}

// hasScopesOf reports whether two rules have the same scopes in the same order.
func (r *Rule) hasScopesOf(other *Rule) bool {
	if len(r.Scopes) != len(other.Scopes) {
		return false
	}
	for i := range r.Scopes {
		if r.Scopes[i].Name != other.Scopes[i].Name {
			return false
		}
	}
	return true
}

// Renamed returns the rule with overrides for other keys.
func (r *Rule) Renamed(to func(key string) string) *Rule {
	own := r.copy()
	for i := range own.Scopes {
		s := &own.Scopes[i]
		overrides := s.overrides
		s.overrides = nil
		overrides.each(func(key string, o *override) { s.overrides = s.overrides.put(to(key), o) })
	}
	return own
}
