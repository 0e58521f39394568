package rules

import (
	"fmt"
	"strconv"
	"sync"

	"cellserver/internal/rediserr"
	"cellserver/limiters"
	"cellserver/limiters/ruleset"
	"cellserver/store"
)

// Trial says what other numbers would have refused. Both replays begin with nothing used, so a reader can
// compare their numbers.
type Trial struct {
	Nanos   int64 // the time of the requests, up to now; at most a minute
	Asked   int64 // requests
	Limited int64 // requests that the rule refused, or would have without SHADOW
	Same    int64 // refusals of the limits in force, if nothing was used at the beginning
	Other   int64 // refusals of the limits on trial, if nothing was used at the beginning
}

// Bounds of the replays of a trial. A trial beyond them is an error, because one request to a CL.LOG can make
// thousands of entries.
const (
	MaxReplayNanos = 2_000_000_000 // for both replays
	MaxReplayBytes = 64 << 20
)

// ErrReplay is the reply to a trial beyond these bounds.
var ErrReplay = rediserr.Error(fmt.Sprintf(
	"ERR the replay takes more than %d seconds or %d bytes: try CL.SLIDING instead of CL.LOG",
	MaxReplayNanos/1_000_000_000, MaxReplayBytes))

// Try replays the requests of the last minute to a rule with other limits. The first trial of a rule finds no
// requests. From then on the rule keeps its requests, until two minutes have passed without a trial. tx is
// nil for a footprint without a partition. clock measures how long the replays take, in nanoseconds.
func Try(
	r *ruleset.Rules, tx *store.Tx, name string, words [][]byte, now int64, clock func() int64,
) (Trial, error) {
	present, err := r.Known(tx, name)
	if err != nil {
		return Trial{}, err
	}
	other, err := present.Variant(words)
	if err != nil {
		return Trial{}, err
	}
	t, err := r.RecordingOf(present, now)
	if err != nil {
		return Trial{}, err
	}
	requests, keys, since := t.Read(now)
	result := Trial{Nanos: now - since, Asked: int64(len(requests))}
	for _, one := range requests {
		if one.Limited {
			result.Limited++
		}
	}
	result.Same, result.Other, err = replayBoth(present, other, requests, keys, clock)
	return result, limiters.Explain(err)
}

// replays is one store for all trials, because its memory is outside Go's heap. It is empty between two
// trials.
var replays struct {
	mu    sync.Mutex // held by the trial that replays
	store *store.Store
}

// replayBoth returns how many requests two rules refuse. One trial replays at a time, because it takes a
// processor and memory.
func replayBoth(
	one, other *ruleset.Rule, requests []ruleset.Recorded, keys [][]uint64, clock func() int64,
) (byOne, byOther int64, err error) {
	replays.mu.Lock()
	defer replays.mu.Unlock()
	if replays.store == nil {
		replays.store = store.New(store.Options{Databases: 1})
	}
	begun := clock()
	late := func() bool { return clock()-begun > MaxReplayNanos || replays.store.Used() > MaxReplayBytes }
	if byOne, err = replay(one, replays.store, requests, keys, late); err == nil {
		byOther, err = replay(other, replays.store, requests, keys, late)
	}
	return byOne, byOther, err
}

// replay asks the rule again for requests, in an empty store, and counts the refusals.
func replay(
	r *ruleset.Rule, s *store.Store, requests []ruleset.Recorded, keys [][]uint64, late func() bool,
) (refused int64, err error) {
	defer empty(s)
	tx, check := s.NewTx(), &Check{}
	own := r.Renamed(func(key string) string { return string(hashKey(ruleset.HashOf([]byte(key)))) })
	tx.Silent = true
	for i := range requests {
		if len(keys[i]) != len(own.Scopes) {
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
	tx := s.NewTx()
	tx.Silent, tx.KeepExpired = true, true
	tx.BeginAll(0, 0)
	tx.Flush()
	tx.End()
	for s.Trim() {
	}
}

// again asks a rule as Ask does. It counts nothing.
func (c *Check) again(
	tx *store.Tx, r *ruleset.Rule, one *ruleset.Recorded, keys []uint64,
) (limited bool, err error) {
	c.plan, c.Keys = &c.own, c.Keys[:0]
	c.asked, c.found = hashKey(one.Asked), r
	var fp store.Footprint
	for _, hash := range keys {
		key := hashKey(hash)
		c.Keys = append(c.Keys, key)
		fp.AddKey(key)
	}
	tx.Begin(one.At, 0, &fp)
	defer tx.End()
	defer c.Done(false)
	if err = c.find(tx, one.At, false); err == nil {
		err = c.decide(one.At, one.Quantity, one.Charge)
	}
	if err != nil {
		return false, err
	}
	limited = c.refused
	c.end(one.At, false)
	return limited, nil
}

// hashKey returns a key for a hash, because a recording has no keys.
func hashKey(hash uint64) []byte { return strconv.AppendUint(nil, hash, 36) }
