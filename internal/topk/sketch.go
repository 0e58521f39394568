package topk

import (
	"bytes"
	"cmp"
	"slices"
)

const (
	// Counters is the number of keys that a sketch counts.
	Counters = 32
	// MaxKey is the number of bytes that a sketch keeps of a key. Collect returns a longer key cut off.
	MaxKey = 256
)

// Sketch counts at most [Counters] keys. A further key replaces the key with the lowest count, and continues
// from that count.
//
// It is not safe for concurrent use. The zero Sketch is empty. A full sketch allocates only for a key that
// is longer than all earlier keys.
type Sketch struct {
	hashes [Counters]uint64 // in an array of their own, which Add searches
	counts [Counters]int64  // 0: the counter is free
	rest   [Counters]rest
	low    int64 // lower bound of the counts
	at     int   // where the last search for a low count ended
}

type rest struct {
	over int64 // the count that the key took from the key before it
	db   int
	key  []byte
}

// Count says how often a key was added: at most Times, at least Times - Over.
type Count struct {
	Key         []byte
	DB          int
	Times, Over int64
}

// Add adds one to the count of a key. The hash identifies the key, so it should also depend on the database.
func (s *Sketch) Add(hash uint64, db int, key []byte) {
	for i := range s.hashes {
		if s.hashes[i] == hash && s.counts[i] > 0 {
			s.counts[i]++
			return
		}
	}
	least := s.least()
	s.hashes[least] = hash
	r := &s.rest[least]
	r.over, r.db = s.counts[least], db
	r.key = append(r.key[:0], key[:min(len(key), MaxKey)]...)
	s.counts[least]++
}

// least returns a counter with the lowest count. Most counters that were the lowest in the last search are
// still the lowest. So least rarely compares all counters.
func (s *Sketch) least() int {
	for range s.counts {
		s.at = (s.at + 1) % Counters
		if s.counts[s.at] == s.low {
			return s.at
		}
	}
	s.low = slices.Min(s.counts[:])
	return slices.Index(s.counts[:], s.low)
}

// AnyDB selects every database.
const AnyDB = -1

// Collect appends copies of the counts of a database that are at least floor, in no order.
func (s *Sketch) Collect(to []Count, db int, floor int64) []Count {
	for i, times := range s.counts {
		if r := &s.rest[i]; times > 0 && times >= floor && (db == AnyDB || r.db == db) {
			to = append(to, Count{bytes.Clone(r.key), r.db, times, r.over})
		}
	}
	return to
}

// Forget removes the counts of a database.
func (s *Sketch) Forget(db int) {
	for i := range s.rest {
		if db == AnyDB || s.rest[i].db == db {
			s.counts[i], s.low = 0, 0
		}
	}
}

// Highest sorts counts and returns the first n: the highest first, equal ones by key and database.
func Highest(counts []Count, n int) []Count {
	slices.SortFunc(counts, func(a, b Count) int {
		return cmp.Or(cmp.Compare(b.Times, a.Times), bytes.Compare(a.Key, b.Key), cmp.Compare(a.DB, b.DB))
	})
	return counts[:min(n, len(counts))]
}
