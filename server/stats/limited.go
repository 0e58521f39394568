package stats

import (
	"hash/maphash"
	"sync"

	"cellserver/internal/topk"
)

const shards = 256 // a power of two

// AnyDB means every database.
const AnyDB = topk.AnyDB

// Limited counts the keys that limiters refuse, in bounded memory. The hash of a key chooses one of
// many sketches, so processors rarely wait for each other. Each process has its own hash seed.
// Limited implements [commands.LimitedKeys].
type Limited struct {
	seed   maphash.Seed
	shards [shards]shard
}

type shard struct {
	mu     sync.Mutex   // guards sketch; held to add one key, or to read one sketch
	sketch *topk.Sketch // nil until a limiter refuses a key of the shard
	_      [48]byte     // keeps two locks out of one cache line
}

// Add counts a refusal for a key of a database.
func (t *Limited) Add(db int, key []byte) {
	hash := maphash.Bytes(t.seed, key) + uint64(db)*0x9e3779b97f4a7c15
	s := &t.shards[hash%shards]
	s.mu.Lock()
	if s.sketch == nil {
		s.sketch = new(topk.Sketch)
	}
	s.sketch.Add(hash, db, key)
	s.mu.Unlock()
}

// Top returns the n highest counts of a database, or of [AnyDB], highest first. With reset it sets
// all counts of the database to zero.
func (t *Limited) Top(db, n int, reset bool) (top []topk.Count) {
	if n == 0 {
		return nil
	}
	floor := int64(0)
	for i := range t.shards {
		top = t.shards[i].collect(top, db, floor, reset)
		if len(top) >= 2*n {
			top = topk.Highest(top, n)
			floor = top[n-1].Times
		}
	}
	return topk.Highest(top, n)
}

func (s *shard) collect(to []topk.Count, db int, floor int64, reset bool) []topk.Count {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.sketch == nil {
		return to
	}
	to = s.sketch.Collect(to, db, floor)
	if reset {
		s.sketch.Forget(db)
	}
	return to
}

// Reset removes all counts.
func (t *Limited) Reset() { t.Top(AnyDB, 1, true) }
