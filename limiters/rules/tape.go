package rules

import (
	"slices"
	"sync"
)

// Bounds of tapes.
const (
	MaxTapes     = 4     // at the same time
	TapeRequests = 16384 // of one tape; a new request replaces the oldest one
	tapeTime     = 60e9  // nanoseconds that a trial looks back
	tapeStays    = 120e9 // nanoseconds after the last trial
)

// A tape has the last requests to a rule, while somebody tries other numbers. It has hashes of names and keys, and none of them.
type tape struct {
	mu       sync.Mutex // guards the rest; innermost
	until    int64      // after this time nobody needs the tape
	begun    int64
	scopes   int // of each request
	requests []taped
	keys     []uint64 // hashes, scopes of them for each request
	next     int      // the oldest request, once the tape is full
}

// taped is a request on a tape.
type taped struct {
	at, quantity    int64
	asked           uint64 // hash of the name, because each name counts for itself in the rule [Default]
	limited, charge bool   // limited: the rule refused it, or would have without SHADOW
}

func newTape(now int64) *tape { return &tape{begun: now, until: now + tapeStays} }

// hasEnded reports whether the tape is not needed any more.
func (t *tape) hasEnded(now int64) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return now > t.until
}

// add appends a request with the hashes of its keys. It reports false if the tape is not needed any more.
func (t *tape) add(one taped, keys []uint64) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if one.at > t.until {
		return false
	}
	if len(keys) != t.scopes {
		if t.scopes > 0 { // the rule has changed
			t.begun = one.at
		}
		t.scopes, t.requests, t.keys, t.next = len(keys), nil, nil, 0
	}
	if len(t.requests) < TapeRequests {
		t.requests = append(t.requests, one)
		t.keys = append(t.keys, keys...)
		return true
	}
	t.requests[t.next] = one
	copy(t.keys[t.next*t.scopes:], keys)
	t.next = (t.next + 1) % TapeRequests
	return true
}

// read copies the requests of the last minute, in their order, each with its keys. The tape has all requests from since on.
// It stays for some time.
func (t *tape) read(now int64) (requests []taped, keys [][]uint64, since int64) {
	t.mu.Lock() // a copy is quick, so requests to the rule do not wait
	t.until = now + tapeStays
	scopes, next, all, hashes := t.scopes, t.next, slices.Clone(t.requests), slices.Clone(t.keys)
	since = max(t.begun, now-tapeTime)
	t.mu.Unlock()
	if len(all) == TapeRequests {
		since = max(since, all[next].at)
	}
	for i := range all {
		at := (next + i) % len(all)
		if all[at].at >= since {
			requests = append(requests, all[at])
			keys = append(keys, hashes[at*scopes:(at+1)*scopes])
		}
	}
	return requests, keys, since
}
