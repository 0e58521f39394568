package ruleset

import (
	"cmp"
	"fmt"
	"slices"
	"sync"

	"cellserver/internal/rediserr"
	"cellserver/store"
)

// Bounds of recordings.
const (
	MaxRecordings    = 4     // at the same time
	RecordedRequests = 16384 // of one recording; a new request replaces the oldest one
	recordingTime    = 60e9  // nanoseconds that a trial looks back
	recordingStays   = 120e9 // nanoseconds after the last trial
)

// Errors of a trial.
var (
	ErrRecordings = rediserr.Error(fmt.Sprintf(
		"ERR somebody already tries limits for %d other rules: try again in two minutes", MaxRecordings))
	ErrTrialScopes = rediserr.Error("ERR the limits must have the scopes of the rule, in the same order")
)

// A recording has the last requests to a rule, for CL.RULE TRY. It has hashes of names and keys, and not the
// names and keys.
type Recording struct {
	mu       sync.Mutex // guards the rest; innermost
	until    int64      // after this time no trial needs the recording
	begun    int64
	scopes   int // of each request
	requests []Recorded
	keys     []uint64 // hashes; each request has as many as scopes says
	next     int      // the oldest request, once the recording is full
}

// Recorded is a request of a recording.
type Recorded struct {
	At, Quantity    int64
	Asked           uint64 // hash of the name, because each name counts for itself in the rule [Default]
	Limited, Charge bool   // limited: the rule refused it, or would have without SHADOW
}

func newRecording(now int64) *Recording { return &Recording{begun: now, until: now + recordingStays} }

// hasEnded reports whether the recording is not needed any more.
func (t *Recording) hasEnded(now int64) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return now > t.until
}

// add appends a request with the hashes of its keys. It reports false if the recording is not needed any
// more.
func (t *Recording) add(one Recorded, keys []uint64) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if one.At > t.until {
		return false
	}
	if len(keys) != t.scopes {
		if t.scopes > 0 { // the rule has changed
			t.begun = one.At
		}
		t.scopes, t.requests, t.keys, t.next = len(keys), nil, nil, 0
	}
	if len(t.requests) < RecordedRequests {
		t.requests = append(t.requests, one)
		t.keys = append(t.keys, keys...)
		return true
	}
	t.requests[t.next] = one
	copy(t.keys[t.next*t.scopes:], keys)
	t.next = (t.next + 1) % RecordedRequests
	return true
}

// Read copies the requests of the last minute, in their order, each with its keys. The recording has all
// requests from since on. The recording stays for the time recordingStays from now on.
func (t *Recording) Read(now int64) (requests []Recorded, keys [][]uint64, since int64) {
	t.mu.Lock() // a copy is quick, so requests to the rule do not wait
	t.until = now + recordingStays
	scopes, next, all, hashes := t.scopes, t.next, slices.Clone(t.requests), slices.Clone(t.keys)
	since = max(t.begun, now-recordingTime)
	t.mu.Unlock()
	if len(all) == RecordedRequests {
		since = max(since, all[next].At)
	}
	for i := range all {
		at := (next + i) % len(all)
		if all[at].At >= since {
			requests = append(requests, all[at])
			keys = append(keys, hashes[at*scopes:(at+1)*scopes])
		}
	}
	return requests, keys, since
}

// Known returns a rule in force. Without the lock of their key, the rules may have changed at this moment.
func (r *Rules) Known(tx *store.Tx, name string) (*Rule, error) {
	stored := cmp.Or(r.stored.Load(), r.parsed.Load())
	var fp store.Footprint
	if r.Lock(&fp); tx != nil && tx.Holds(&fp) {
		var err error
		if stored, err = r.load(tx); err != nil {
			return nil, err
		}
	}
	one := r.with(stored).find([]byte(name))
	if one == nil {
		return nil, NoRule(name)
	}
	return one, one.Err
}

// RecordingOf returns the recording of a rule, and makes one if there is none.
func (r *Rules) RecordingOf(one *Rule, now int64) (*Recording, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	of, recordings := one.counts, 0
	for _, c := range r.counts {
		if t := c.recording.Load(); t != nil && t.hasEnded(now) {
			c.recording.CompareAndSwap(t, nil)
		} else if t != nil && c != of {
			recordings++
		}
	}
	if t := of.recording.Load(); t != nil {
		return t, nil
	}
	if recordings >= MaxRecordings {
		return nil, ErrRecordings
	}
	t := newRecording(now)
	of.recording.Store(t)
	return t, nil
}

// IsRecorded reports whether the rule has a recording.
func (r *Rule) IsRecorded() bool { return r.counts.recording.Load() != nil }

// Record adds a request to the recording of the rule, if there is one.
func (r *Rule) Record(one Recorded, keys [][]byte) {
	t := r.counts.recording.Load()
	if t == nil {
		return
	}
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
		for key, o := range overrides {
			if s.overrides == nil {
				s.overrides = map[string]*override{}
			}
			s.overrides[to(key)] = o
		}
	}
	return own
}
