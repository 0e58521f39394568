package commands

import (
	"sync/atomic"
)

// Subscriptions are the channels and patterns that a connection is subscribed to. Only the
// pub/sub broker changes them, on the connection's goroutine.
type Subscriptions struct {
	Bytes int // memory in bytes (an estimate)
	total atomic.Int64
	names [subjects]map[string]struct{}
}

// subscriptionBytes is the memory of a subscription in bytes without its name. It is an estimate.
const subscriptionBytes = 128

// Subscribed reports whether the connection has a subscription. Any goroutine may call it.
func (s *Subscriptions) Subscribed() bool { return s.total.Load() > 0 }

// SubscriptionSteps is how many steps ([Cost]) it takes to begin or to end a subscription.
const SubscriptionSteps = 30

// Total returns the number of all subscriptions.
func (s *Subscriptions) Total() int { return int(s.total.Load()) }

// Names returns the channels or the patterns that the connection is subscribed to. The caller must
// not change the map.
func (s *Subscriptions) Names(kind Subject) map[string]struct{} { return s.names[kind] }

// Numbers returns how many subscriptions of each kind there are.
func (s *Subscriptions) Numbers() (all [subjects]int) {
	for kind := range all {
		all[kind] = len(s.names[kind])
	}
	return all
}

// Count returns the number that a confirmation shows: of channels and patterns, or of channels of shards.
func (s *Subscriptions) Count(kind Subject) int {
	if kind == Shard {
		return len(s.names[Shard])
	}
	return len(s.names[Channel]) + len(s.names[Pattern])
}

// Add adds a subscription. It returns false if there was one.
func (s *Subscriptions) Add(kind Subject, name string) bool {
	if _, already := s.names[kind][name]; already {
		return false
	}
	if s.names[kind] == nil {
		s.names[kind] = map[string]struct{}{}
	}
	s.names[kind][name] = struct{}{}
	s.total.Add(1)
	s.Bytes += len(name) + subscriptionBytes
	return true
}

// Remove removes a subscription. It returns false if there was none.
func (s *Subscriptions) Remove(kind Subject, name string) bool {
	if _, subscribed := s.names[kind][name]; !subscribed {
		return false
	}
	delete(s.names[kind], name)
	if len(s.names[kind]) == 0 {
		s.names[kind] = nil
	}
	s.total.Add(-1)
	s.Bytes -= len(name) + subscriptionBytes
	return true
}

// Tracking is the state of CLIENT TRACKING of one connection. The goroutine of the connection
// changes it while it holds the lock of the tracking table. So that goroutine may read it without
// the lock, and other goroutines with the lock.
type Tracking struct {
	TrackingOptions
	On      bool
	Caching bool        // CLIENT CACHING applies to the next command; only the own goroutine uses it
	Broken  atomic.Bool // the client of REDIRECT has disconnected; any goroutine may use it

	// Reads are the keys that the running transaction has read. Only the own goroutine uses them.
	Reads []TrackedRead
}

// TrackingOptions are the options of CLIENT TRACKING ON.
type TrackingOptions struct {
	Bcast, OptIn, OptOut, NoLoop bool
	Redirect                     int64    // id of the client that gets the messages; 0 means this client
	Prefixes                     []string // of BCAST; the prefixes in force are sorted; only the empty one overlaps with others
}

// TrackedRead is a key that a transaction has read, and the number of effects before that read.
type TrackedRead struct {
	Key   []byte
	After int
}

// Target returns the reply of CLIENT GETREDIR: the client of REDIRECT, 0 without REDIRECT, -1
// without tracking.
func (t *Tracking) Target() int64 {
	if !t.On {
		return -1
	}
	return t.Redirect
}

// Wants reports whether the tracking table must remember the keys that the running command reads.
func (t *Tracking) Wants() bool {
	return t.On && !t.Bcast && (!t.OptIn || t.Caching) && (!t.OptOut || !t.Caching)
}
