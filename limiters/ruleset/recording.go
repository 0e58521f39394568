package ruleset

import (
	"slices"
	"sync"
)

// Bounds of recordings.
const (
	MaxRecordings    = 4     // at the same time
	RecordedRequests = 16384 // of one recording; a new request replaces the oldest one
	recordingTime    = 60e9  // nanoseconds that a trial looks back
	recordingStays   = 120e9 // nanoseconds after the last trial
)

// A Recording has the last requests to a rule, for CL.RULE TRY. It has hashes of names and keys, and not the
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
	for n := range all {
		i := (next + n) % len(all)
		if all[i].At >= since {
			requests = append(requests, all[i])
			keys = append(keys, hashes[i*scopes:(i+1)*scopes])
		}
	}
	return requests, keys, since
}
