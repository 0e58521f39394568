package topk

import (
	"bytes"
	"cmp"
	"slices"
)

const (
	// Counters is how many keys a sketch counts at a time.
	Counters = 32
	// MaxKey is how many bytes of a key are kept; more are cut off where it is shown.
	MaxKey = 256
)

// Sketch counts keys, at most [Counters] of them: a new key takes the place of the one
// that was counted least, and its count. So a count is never too low, and too high by at
// most what the key took over, which is told with it. A key that makes up more than one
// part in Counters of all that was added is sure to be there.
//
// The zero Sketch is empty. Once it is full, adding allocates nothing but room for keys
// longer than any before them.
type Sketch struct {
	hashes [Counters]uint64 // apart from the rest, for they are searched
	counts [Counters]int64  // 0: free
	rest   [Counters]rest
	low    int64 // no count is lower
	at     int   // where the search for a count as low goes on
}

type rest struct {
	over int64 // what the key took over
	db   int
	key  []byte
}

// Count is how often a key came: at most Times, at least Times - Over.
type Count struct {
	Key         []byte
	DB          int
	Times, Over int64
}

// Add counts a key of a database once. Keys are told apart by their hash, which should
// depend on the database, too.
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

// least returns a counter with the lowest count. Those that were as low as the last one mostly still
// are, so that it rarely has to look at all of them.
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

// AnyDB stands for every database.
const AnyDB = -1

// Collect appends copies of a database's counts of at least floor, in no order.
func (s *Sketch) Collect(to []Count, db int, floor int64) []Count {
	for i, times := range s.counts {
		if r := &s.rest[i]; times > 0 && times >= floor && (db == AnyDB || r.db == db) {
			to = append(to, Count{bytes.Clone(r.key), r.db, times, r.over})
		}
	}
	return to
}

// Forget drops the counts of a database.
func (s *Sketch) Forget(db int) {
	for i := range s.rest {
		if db == AnyDB || s.rest[i].db == db {
			s.counts[i], s.low = 0, 0
		}
	}
}

// Highest sorts counts, the highest first and equal ones by key and database, and cuts them to n.
func Highest(counts []Count, n int) []Count {
	slices.SortFunc(counts, func(a, b Count) int {
		return cmp.Or(cmp.Compare(b.Times, a.Times), bytes.Compare(a.Key, b.Key), cmp.Compare(a.DB, b.DB))
	})
	return counts[:min(n, len(counts))]
}
