package commands

import (
	"sync/atomic"

	"cellserver/store"
)

// Subscriptions are the channels and patterns that a connection is subscribed to. Only the
// pub/sub broker changes them, on the connection's goroutine.
type Subscriptions struct {
	Channels, Patterns map[string]struct{}
	Total              atomic.Int64 // of both; any goroutine may read it
	Bytes              int          // memory, about
}

// Subscribed reports whether the connection has a subscription. Any goroutine may ask.
func (s *Subscriptions) Subscribed() bool { return s.Total.Load() > 0 }

// Names returns the names of one kind that the connection is subscribed to. They must not be
// changed.
func (s *Subscriptions) Names(kind Subject) map[string]struct{} {
	if kind == Pattern {
		return s.Patterns
	}
	return s.Channels
}

// Tracking is a connection's part in client-side caching. The connection's goroutine changes
// it while it holds the lock of the tracking table. So that goroutine may read it without
// the lock, and other goroutines with the lock.
type Tracking struct {
	TrackingOptions
	On      bool
	Caching bool        // CLIENT CACHING was given for the next command; for the own goroutine alone
	Broken  atomic.Bool // the client to redirect to is gone; for any goroutine

	// Tx is the transaction of the connection's commands. Its effects are changes by this connection.
	Tx *store.Tx
	// Reads are the keys that the running command has read; for the own goroutine alone.
	Reads []TrackedRead
}

// TrackingOptions are what CLIENT TRACKING ON chooses.
type TrackingOptions struct {
	Bcast, OptIn, OptOut, NoLoop bool
	Redirect                     int64    // the client that gets the messages; 0 for this one
	Prefixes                     []string // of BCAST; in force they are sorted, and none overlaps another
}

// TrackedRead is a key that a transaction has read after so many of its effects.
type TrackedRead struct {
	Key   []byte
	After int
}

// Target returns the reply of CLIENT GETREDIR: 0 without redirection, -1 without tracking.
func (t *Tracking) Target() int64 {
	if !t.On {
		return -1
	}
	return t.Redirect
}

// Wants reports whether the keys that the running command reads are to be remembered.
func (t *Tracking) Wants() bool {
	return t.On && !t.Bcast && (!t.OptIn || t.Caching) && (!t.OptOut || !t.Caching)
}
