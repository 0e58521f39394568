package store

import (
	"container/list"
	"fmt"
	"math/rand"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

var evictingPolicies = []Policy{
	AllKeysLRU, AllKeysLFU, AllKeysRandom, VolatileLRU, VolatileLFU, VolatileRandom, VolatileTTL,
}

func TestPolicyNames(t *testing.T) {
	for p := NoEviction; p <= VolatileTTL; p++ {
		got, err := ParsePolicy(p.String())
		require.NoError(t, err)
		require.Equal(t, p, got)
		require.Equal(t, strings.HasPrefix(p.String(), "volatile-"), p.Volatile())
		require.Equal(t, strings.HasSuffix(p.String(), "-lfu"), p.LFU())
	}
	_, err := ParsePolicy("lru")
	require.Error(t, err)
}

// put sets a string key without an expiry, or with one.
func put(s *Store, now int64, db int, key string, size int, at int64) {
	tx := whole(s, now)
	tx.Select(db)
	e := tx.Write([]byte(key))
	e.SetBytes([]byte(strings.Repeat("v", size)), at)
	tx.End()
}

func exists(s *Store, now int64, db int, key string) bool {
	tx := whole(s, now)
	defer tx.End()
	tx.Select(db)
	e := tx.Peek([]byte(key))
	return e.Exists()
}

func TestEvictToTheLimit(t *testing.T) {
	for _, p := range evictingPolicies {
		t.Run(p.String(), func(t *testing.T) {
			s := New(Options{Databases: 4, Seed: 1})
			s.UseLFU(p.LFU())
			for i := range 400 {
				put(s, testNow, i%3, fmt.Sprint("volatile:", i), 100, testNow/1e6+1000+int64(i))
				put(s, testNow, i%3, fmt.Sprint("stays:", i), 100, NoExpiry)
			}
			limit := s.Used() * 3 / 4
			for s.Used() > limit {
				require.True(t, s.Evict(testNow, p, 5, limit))
			}
			require.Greater(t, s.Used(), limit*9/10, "no more than needed")
			evicted := s.Counters().Evicted
			require.EqualValues(t, 800-evicted, s.Len(0)+s.Len(1)+s.Len(2))
			tx := whole(s, testNow)
			checkInvariants(t, tx)
			tx.End()
			for s.Evict(testNow, p, 5, -1) {
			}
			left := 0
			if p.Volatile() {
				left = 400
			}
			require.Equal(t, left, s.Len(0)+s.Len(1)+s.Len(2), "in the end all keys that may go are gone")
			require.Equal(t, left == 0, s.Used() == 0)
		})
	}
}

func TestEvictEndsWhenNothingMayGo(t *testing.T) {
	s := New(Options{Databases: 2, Seed: 1})
	require.True(t, s.Evict(testNow, AllKeysLRU, 5, 0))
	require.False(t, s.Evict(testNow, AllKeysLRU, 5, -1), "a limit below the empty footprint")
	put(s, testNow, 1, "giant", 10<<20, NoExpiry)
	require.False(t, s.Evict(testNow, NoEviction, 5, 1<<20))
	for _, p := range evictingPolicies {
		require.Equal(t, !p.Volatile(), s.Evict(testNow, p, 5, 1<<20), "%s", p)
		if !p.Volatile() {
			require.Zero(t, s.Used())
			put(s, testNow, 1, "giant", 10<<20, NoExpiry)
		}
	}
	require.False(t, s.Evict(testNow, AllKeysRandom, 0, -1))
	require.Zero(t, s.Len(1))
}

// TestEvictPrefersLeastRecentlyUsed checks that most evicted keys were not used recently.
func TestEvictPrefersLeastRecentlyUsed(t *testing.T) {
	for _, p := range []Policy{AllKeysLRU, VolatileLRU, AllKeysLFU, VolatileLFU, VolatileTTL} {
		s := New(Options{Databases: 1, Seed: 1})
		s.UseLFU(p.LFU())
		now := testNow
		for i := range 1000 {
			put(s, now, 0, fmt.Sprint("cold:", i), 10, testNow/1e6+1e9)
		}
		now += 600e9
		for i := range 1000 {
			put(s, now, 0, fmt.Sprint("hot:", i), 10, testNow/1e6+2e9)
		}
		limit := s.Used() * 3 / 4
		for s.Used() > limit {
			require.True(t, s.Evict(now, p, 5, limit))
		}
		cold := 0
		for i := range 1000 {
			if exists(s, now, 0, fmt.Sprint("cold:", i)) {
				cold++
			}
		}
		evicted := int(s.Counters().Evicted)
		require.Greater(t, 1000-cold, evicted*9/10, "%s: %d of %d evicted keys were cold", p, 1000-cold, evicted)
	}
}

// TestEvictThrottleKeysByTAT checks that the throttle keys nearest to their full quota go first,
// under every policy.
func TestEvictThrottleKeysByTAT(t *testing.T) {
	for _, p := range evictingPolicies {
		s := New(Options{Databases: 1, Seed: 1})
		s.UseLFU(p.LFU())
		fill(s, 2000, testNow, 1000e9)
		limit := s.Used() * 3 / 4
		for s.Used() > limit {
			require.True(t, s.Evict(testNow, p, 5, limit))
		}
		sum, n := 0, 0
		for i := range 2000 {
			if !exists(s, testNow, 0, fmt.Sprintf("throttle:%07d", i)) {
				sum += i
				n++
			}
		}
		require.EqualValues(t, n, s.Counters().Evicted)
		require.Less(t, sum/n, 600, "%s: the mean rank by TAT of the %d evicted keys", p, n)
	}
}

// TestEvictRemovesTheExpiredFirst checks that expired keys go before other keys are evicted.
func TestEvictRemovesTheExpiredFirst(t *testing.T) {
	var o recorded
	s := New(Options{Databases: 1, Seed: 1})
	s.Observe(&o)
	fill(s, 100, testNow, 1e9)
	o.all = nil
	require.True(t, s.Evict(testNow+10e9, AllKeysRandom, 5, 0))
	require.EqualValues(t, 100, s.Counters().Expired)
	require.Zero(t, s.Counters().Evicted)
	require.Len(t, o.all, 100)
}

func TestLFUSettings(t *testing.T) {
	s := New(Options{Databases: 1, Seed: 1})
	s.UseLFU(true)
	s.SetLFU(0, 1)
	put(s, testNow, 0, "k", 1, NoExpiry)
	freq := func(now int64) int64 {
		tx := whole(s, now)
		defer tx.End()
		e := tx.Peek([]byte("k"))
		return e.Freq()
	}
	require.EqualValues(t, lfuInitial, freq(testNow))
	for range 100 {
		tx := whole(s, testNow)
		tx.Read([]byte("k"))
		tx.End()
	}
	require.EqualValues(t, lfuInitial+100, freq(testNow), "with factor 0 every use counts one")
	require.EqualValues(t, lfuInitial+90, freq(testNow+10*60e9), "each idle minute takes one")
	s.SetLFU(10, 5)
	require.EqualValues(t, lfuInitial+98, freq(testNow+10*60e9))
	s.SetLFU(10, 0)
	require.EqualValues(t, lfuInitial+100, freq(testNow+10*60e9), "0 means never")
}

// TestUsesOfALaterClock: clients read the clock at different moments. A key that another client has used in the next
// second, or in the next minute, is no key that nobody has used for months.
func TestUsesOfALaterClock(t *testing.T) {
	for _, p := range []Policy{AllKeysLRU, VolatileLRU, AllKeysLFU, VolatileLFU} {
		s := New(Options{Databases: 1, Seed: 1})
		s.UseLFU(p.LFU())
		for i := range 100 {
			put(s, testNow-600e9, 0, fmt.Sprint("cold:", i), 10, testNow/1e6+1e9)
			put(s, testNow+60e9, 0, fmt.Sprint("hot:", i), 10, testNow/1e6+1e9)
		}
		limit := s.Used() * 3 / 4
		for s.Used() > limit {
			require.True(t, s.Evict(testNow, p, 1000, limit))
		}
		for i := range 100 {
			require.True(t, exists(s, testNow, 0, fmt.Sprint("hot:", i)), "%s", p)
		}
	}
	s := New(Options{Databases: 1, Seed: 1})
	s.UseLFU(true)
	s.SetLFU(0, 1)
	put(s, testNow, 0, "k", 1, NoExpiry)
	for i := range 100 {
		tx := whole(s, testNow+int64(i%2)*60e9)
		e := tx.Read([]byte("k"))
		require.EqualValues(t, lfuInitial+1+i-min(i, 1), e.Freq(), "the minute takes one, once")
		tx.End()
	}
	s.UseLFU(false)
	put(s, testNow+1e9, 0, "k", 1, NoExpiry)
	tx := whole(s, testNow)
	e := tx.Peek([]byte("k"))
	require.Zero(t, e.Idle())
	tx.End()
}

// TestEvictionsCanBeFenced: a fence that closes between the sample and the eviction of a key stops the eviction.
func TestEvictionsCanBeFenced(t *testing.T) {
	s := New(Options{Databases: 1, Seed: 1})
	for i := range 100 {
		put(s, testNow, 0, fmt.Sprint(i), 100, NoExpiry)
	}
	asked, open := 0, 1_000_000
	s.FenceEvictions(func() bool {
		asked++
		return asked <= open
	})
	require.True(t, s.Evict(testNow, AllKeysRandom, 5, s.Used()-1))
	evicted := s.Counters().Evicted
	require.NotZero(t, evicted)
	for open = 0; open < 100; open++ {
		asked = 0
		limit := s.Used() - 1
		for range 3 {
			s.Evict(testNow, AllKeysRandom, 5, limit)
		}
		require.EqualValues(t, 100-s.Counters().Evicted, s.Len(0))
		if open == 0 {
			require.Equal(t, evicted, s.Counters().Evicted, "the fence was closed all the time")
		}
	}
	require.Greater(t, s.Counters().Evicted, evicted)
}

// TestAnEvictionTakesOneLock: a sample for many evictions takes few locks more than these.
func TestAnEvictionTakesOneLock(t *testing.T) {
	for _, p := range evictingPolicies {
		s := New(Options{Databases: 1, Seed: 1})
		s.UseLFU(p.LFU())
		fill(s, 30_000, testNow, 1e15)
		locks := 0
		s.FenceEvictions(func() bool { locks++; return true })
		for s.Counters().Evicted < 1000 {
			require.True(t, s.Evict(testNow, p, 5, s.Used()-1))
		}
		require.Less(t, locks, 1200, "%s", p)
	}
}

// TestEvictionKeepsTheKeysInUse: a cache that evicts has about as many hits as one that knows the order of all
// uses, if a few keys have most uses.
func TestEvictionKeepsTheKeysInUse(t *testing.T) {
	const keys, kept, requests = 5000, 1000, 40_000
	value := []byte(strings.Repeat("v", 100))
	hits := func(p Policy, samples int) (ratio, ideal float64) {
		s := New(Options{Databases: 1, Seed: 1})
		s.UseLFU(p.LFU())
		for i := range kept {
			put(s, testNow, 0, fmt.Sprint("key", i), 100, testNow/1e6+1e9)
		}
		limit, exact := s.Used(), newExactLRU(kept)
		uses := rand.NewZipf(rand.New(rand.NewSource(1)), 1.05, 1, keys-1)
		found, wouldFind := 0, 0
		for i := range requests {
			now := testNow + int64(i)*20e6
			key := fmt.Sprint("key", uses.Uint64())
			tx := s.NewTx()
			tx.BeginKey(now, 0, []byte(key))
			e := tx.Read([]byte(key))
			if e.Exists() {
				found++
			} else {
				e.SetBytes(value, now/1e6+1e9)
			}
			tx.End()
			if exact.use(key) {
				wouldFind++
			}
			require.True(t, s.Evict(now, p, samples, limit))
			require.LessOrEqual(t, s.Used(), limit)
		}
		require.InDelta(t, kept, s.Len(0), kept/10)
		return float64(found) / requests, float64(wouldFind) / requests
	}
	random, _ := hits(AllKeysRandom, 5)
	for _, p := range []Policy{AllKeysLRU, VolatileLRU, AllKeysLFU, VolatileLFU} {
		five, ideal := hits(p, 5)
		ten, _ := hits(p, 10)
		t.Logf("%s: %.4f with 5 samples, %.4f with 10, exact LRU %.4f, random %.4f", p, five, ten, ideal, random)
		require.Greater(t, five, random, "%s", p)
		require.Greater(t, five, ideal*0.97, "%s", p)
		require.Greater(t, ten, ideal*0.98, "%s", p)
	}
}

// exactLRU is a cache that removes the key whose last use is the longest ago.
type exactLRU struct {
	room  int
	order *list.List // of keys, the last used one first
	keys  map[string]*list.Element
}

func newExactLRU(room int) *exactLRU {
	return &exactLRU{room, list.New(), map[string]*list.Element{}}
}

// use reports whether the key was there.
func (c *exactLRU) use(key string) bool {
	if e := c.keys[key]; e != nil {
		c.order.MoveToFront(e)
		return true
	}
	c.keys[key] = c.order.PushFront(key)
	if len(c.keys) > c.room {
		last := c.order.Remove(c.order.Back()).(string)
		delete(c.keys, last)
	}
	return false
}
