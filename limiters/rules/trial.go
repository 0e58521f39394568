package rules

import (
	"cmp"
	"fmt"
	"strconv"

	"cellserver/internal/rediserr"
	"cellserver/limiters"
	"cellserver/store"
)

// Trial says what other numbers would have refused. Both replays begin with nothing used, so a reader can compare their
// numbers.
type Trial struct {
	Nanos   int64 // the time of the requests, up to now; at most a minute
	Asked   int64 // requests
	Limited int64 // requests that the rule refused, or would have without SHADOW
	Same    int64 // refusals of the limits in force, if nothing was used at the beginning
	Other   int64 // refusals of the limits on trial, if nothing was used at the beginning
}

// Bounds of the replays of a trial. A trial beyond them is an error, because one request to a CL.LOG can make thousands of entries.
const (
	MaxReplayNanos = 2_000_000_000 // for both replays
	MaxReplayBytes = 64 << 20
)

// Errors of a trial.
var (
	ErrReplay      = rediserr.Error(fmt.Sprintf("ERR the replay takes more than %d seconds or %d bytes: try CL.SLIDING instead of CL.LOG", MaxReplayNanos/1_000_000_000, MaxReplayBytes))
	ErrRecordings  = rediserr.Error(fmt.Sprintf("ERR somebody already tries limits for %d other rules: try again in two minutes", MaxRecordings))
	ErrTrialScopes = rediserr.Error("ERR the limits must have the scopes of the rule, in the same order")
)

// TryFootprint adds the partition that a trial needs. If the rules are parsed, the trial needs no partition. Then no
// client waits for a trial.
func (r *Rules) TryFootprint(fp *store.Footprint) {
	if r.stored.Load() == nil {
		r.Lock(fp)
	}
}

// Try replays the requests of the last minute to a rule with other limits. The first trial of a rule finds no requests.
// From then on the rule keeps its requests, until two minutes have passed without a trial. tx is nil for a footprint
// without a partition. clock measures how long the replays take, in nanoseconds.
func (r *Rules) Try(tx *store.Tx, name string, words [][]byte, now int64, clock func() int64) (Trial, error) {
	present, err := r.known(tx, name)
	if err != nil {
		return Trial{}, err
	}
	other, err := parse(name, words)
	if err == nil {
		err = other.fault()
	}
	if err == nil {
		err = other.keepOverrides(present)
	}
	if err == nil && !other.hasScopesOf(present) {
		err = ErrTrialScopes
	}
	if err != nil {
		return Trial{}, err
	}
	t, err := r.recordingOf(present.counts, now)
	if err != nil {
		return Trial{}, err
	}
	requests, keys, since := t.read(now)
	result := Trial{Nanos: now - since, Asked: int64(len(requests))}
	for _, one := range requests {
		if one.limited {
			result.Limited++
		}
	}
	result.Same, result.Other, err = r.replay(present, other, requests, keys, clock)
	return result, limiters.Explain(err)
}

// known returns a rule in force. Without the lock of their key, the rules may have changed at this moment.
func (r *Rules) known(tx *store.Tx, name string) (*rule, error) {
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
		return nil, ErrNoRule
	}
	return one, one.err
}

// recordingOf returns the recording of a rule, and makes one if there is none.
func (r *Rules) recordingOf(of *counts, now int64) (*recording, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	recordings := 0
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

// hasScopesOf reports whether two rules have the same scopes in the same order.
func (r *rule) hasScopesOf(other *rule) bool {
	if len(r.scopes) != len(other.scopes) {
		return false
	}
	for i := range r.scopes {
		if r.scopes[i].name != other.scopes[i].name {
			return false
		}
	}
	return true
}

// replay returns how many requests two rules refuse. One trial replays at a time, because it takes a processor and memory.
func (r *Rules) replay(one, other *rule, requests []recorded, keys [][]uint64, clock func() int64) (byOne, byOther int64, err error) {
	r.trying.Lock()
	defer r.trying.Unlock()
	if r.replays == nil {
		r.replays = store.New(store.Options{Databases: 1})
	}
	begun := clock()
	late := func() bool { return clock()-begun > MaxReplayNanos || r.replays.Used() > MaxReplayBytes }
	if byOne, err = one.replay(r.replays, requests, keys, late); err == nil {
		byOther, err = other.replay(r.replays, requests, keys, late)
	}
	return byOne, byOther, err
}

// replay asks the rule again for requests, in an empty store, and counts the refusals.
func (r *rule) replay(s *store.Store, requests []recorded, keys [][]uint64, late func() bool) (refused int64, err error) {
	defer empty(s)
	tx, own, check := s.NewTx(), r.ofHashes(), &Check{}
	tx.Silent = true
	for i := range requests {
		if len(keys[i]) != len(own.scopes) {
			continue // the rule had other scopes then
		}
		if late() {
			return 0, ErrReplay
		}
		limited, err := check.again(tx, own, &requests[i], keys[i])
		if err != nil {
			return 0, err
		}
		if limited {
			refused++
		}
	}
	return refused, nil
}

// empty removes all keys.
func empty(s *store.Store) {
	var all store.Footprint
	all.AddAll()
	tx := s.NewTx()
	tx.Silent, tx.KeepExpired = true, true
	tx.Begin(0, 0, &all)
	tx.Flush()
	tx.End()
	for s.Trim() {
	}
}

// again asks a rule as Ask does. It counts nothing.
func (c *Check) again(tx *store.Tx, r *rule, one *recorded, keys []uint64) (limited bool, err error) {
	c.plan, c.Keys = &c.own, c.Keys[:0]
	c.asked, c.found = hashKey(one.asked), r
	var fp store.Footprint
	for _, hash := range keys {
		key := hashKey(hash)
		c.Keys = append(c.Keys, key)
		fp.AddKey(key)
	}
	tx.Begin(one.at, 0, &fp)
	defer tx.End()
	defer c.Done(false)
	if err = c.find(tx, one.at, false); err == nil {
		err = c.decide(one.at, one.quantity, one.charge)
	}
	if err != nil {
		return false, err
	}
	limited = c.refuses()
	c.apply(one.at)
	return limited, nil
}

// hashKey returns a key for a hash, because a recording has no keys.
func hashKey(hash uint64) []byte { return strconv.AppendUint(nil, hash, 36) }

// ofHashes returns the rule with overrides for keys of hashKey.
func (r *rule) ofHashes() *rule {
	own := r.copy()
	for i := range own.scopes {
		s := &own.scopes[i]
		overrides := s.overrides
		s.overrides = nil
		for key, o := range overrides {
			if s.overrides == nil {
				s.overrides = map[string]*override{}
			}
			s.overrides[string(hashKey(hashOf([]byte(key))))] = o
		}
	}
	return own
}
