package commands

import (
	"hash/maphash"
	"sync"

	"cellserver/internal/topk"
)

// CL.TOP [n] [RESET] replies with the n (10) keys of the selected database that limiters
// limited most often, the most frequent first: arrays of a key, how many times it was
// limited, and by how much that may be too high. It is never too low. RESET begins to
// count anew.
//
// Calls that only look (CL.PROBE, PEEK, a quantity of 0) are not counted. Of a key only
// the first 256 bytes are shown.
var _ = register(&Command{
	Name: "cl.top", Arity: -1, Flags: adminFlags, Group: Limiter,
	Summary: "The keys that were limited most often.", Usage: "[n] [RESET]",
	Complexity: "O(N) where N is the number of keys counted, at most 8192", Run: clTop,
})

const (
	topShards  = 256 // a power of two
	defaultTop = 10
	mostTop    = topShards * topk.Counters
)

const errTop Error = "ERR n must be an integer from 1 to 8192"

func clTop(c *Call) error {
	args, n, reset := c.Args[1:], int64(defaultTop), false
	if len(args) > 0 && !is(args[0], "reset") {
		var ok bool
		if n, ok = parseInt(args[0]); !ok || n < 1 || n > mostTop {
			return errTop
		}
		args = args[1:]
	}
	if len(args) > 0 {
		if reset = is(args[0], "reset"); !reset || len(args) > 1 {
			return errSyntax
		}
	}
	top := c.Server.top.highest(c.Client.db, int(n), reset)
	c.Out.Array(len(top))
	for _, t := range top {
		c.Out.Array(3)
		c.Out.Bulk(t.Key)
		c.Out.Int(t.Times)
		c.Out.Int(t.Over)
	}
	return nil
}

// topKeys counts the keys that were limited: in many sketches, by the hash of the key,
// so that cores seldom wait for each other. The hashes are this process's own.
type topKeys struct {
	seed   maphash.Seed
	shards [topShards]topShard
}

type topShard struct {
	mu     sync.Mutex   // guards sketch, and is held for one key, or while one sketch is read
	sketch *topk.Sketch // nil until something is limited
	_      [48]byte     // keeps neighbours' locks off one cache line
}

// anyDB stands for every database.
const anyDB = topk.AnyDB

// add counts a key of a database as limited once.
func (t *topKeys) add(db int, key []byte) {
	hash := maphash.Bytes(t.seed, key) + uint64(db)*0x9e3779b97f4a7c15
	s := &t.shards[hash%topShards]
	s.mu.Lock()
	if s.sketch == nil {
		s.sketch = new(topk.Sketch)
	}
	s.sketch.Add(hash, db, key)
	s.mu.Unlock()
}

// highest returns the n highest counts of a database, or of [anyDB], and with drop
// forgets all of them.
func (t *topKeys) highest(db, n int, drop bool) (top []topk.Count) {
	if n == 0 {
		return nil
	}
	floor := int64(0)
	for i := range t.shards {
		top = t.shards[i].collect(top, db, floor, drop)
		if len(top) >= 2*n {
			top = topk.Highest(top, n)
			floor = top[n-1].Times
		}
	}
	return topk.Highest(top, n)
}

func (s *topShard) collect(to []topk.Count, db int, floor int64, drop bool) []topk.Count {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.sketch == nil {
		return to
	}
	to = s.sketch.Collect(to, db, floor)
	if drop {
		s.sketch.Forget(db)
	}
	return to
}

// forget drops all counts.
func (t *topKeys) forget() { t.highest(anyDB, 1, true) }
