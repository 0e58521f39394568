package limits

import (
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"cellserver/commands"
	"cellserver/internal/randtest"
	"cellserver/limiters/rules"
	"cellserver/server/servertest"
	"cellserver/store"

	"github.com/stretchr/testify/require"
)

// kept is what a client knows of a reservation.
type kept struct {
	user              string
	end, counts       int64
	releases          bool
	reserved, settled any // the first replies; settled is nil before the settlement
}

// TestReservationsOfAKey compares the reservations of one key with a map, under random requests. At times the key has few
// reservations, and at times more than a shared bucket has room for. Requests repeat, some look first, some give back what is not
// settled, and some stand in a MULTI. The keys are dumped and restored at times.
func TestReservationsOfAKey(t *testing.T) {
	for _, key := range []string{"k", "{k}l", "a}b", "{}", "a{b"} {
		t.Run(key, func(t *testing.T) {
			h := servertest.New(t)
			h.Do("CL.RULE SET r SCOPE user CL.WINDOW 1000000 1000000000 AND SCOPE org CL.WINDOW 9000000 1000000000")
			ids := idsOfOneBucket("user0", key)
			w := &reservations{Harness: h, Rand: rand.New(randtest.Source(t)), key: key, all: map[string]*kept{}, used: map[string]int64{}}
			most, longest := 0, int64(0)
			for step := range 4000 {
				w.Advance(time.Duration(w.IntN(100)) * time.Millisecond)
				w.end()
				most = max(most, len(w.all))
				user, id := fmt.Sprint("user", w.IntN(2)), ids[w.IntN(6+60*(step/1000%2))]
				if w.IntN(2) == 0 {
					w.reserve(user, id)
				} else {
					w.settle(user, id)
				}
				if w.IntN(200) == 0 {
					longest = max(longest, w.restoreAll())
				}
			}
			require.Greater(t, most, 36, "more than a shared bucket has room for")
			require.Greater(t, longest, int64(500), "a numbered bucket has many records")
		})
	}
}

// idsOfOneBucket returns 66 ids that have the same numbered bucket, if a user and a key reserve.
func idsOfOneBucket(user, key string) (ids []string) {
	for i := 0; len(ids) < 66; i++ {
		id := fmt.Sprint("id", i)
		if (hashOf(user, key)^hashOf(id))%4096 == 7 {
			ids = append(ids, id)
		}
	}
	return ids
}

func hashOf(parts ...string) uint64 {
	h := fnv.New64a()
	for _, p := range parts {
		_, _ = h.Write(append([]byte(p), byte(len(p))))
	}
	return h.Sum64()
}

// reservations are those of one key, and of one of two users each.
type reservations struct {
	*servertest.Harness
	*rand.Rand
	key  string
	all  map[string]*kept
	used map[string]int64 // by each user
}

// end ends the reservations whose time has come.
func (w *reservations) end() {
	for id, k := range w.all {
		if w.Clock.Time >= k.end {
			delete(w.all, id)
			if k.releases && k.settled == nil {
				w.used[k.user] -= k.counts
			}
		}
	}
}

// ask sends a request, at times after the same one with PEEK, and at times in a MULTI. known is the reply if it is known before.
func (w *reservations) ask(known any, words ...any) (reply any) {
	if w.IntN(4) == 0 {
		looked := w.Do(append(slices.Clone(words), "PEEK")...)
		if known != nil {
			require.Equal(w.T, known, looked)
		}
	}
	if w.IntN(4) > 0 {
		return w.Do(words...)
	}
	w.Do("MULTI")
	w.Do(words...)
	w.Do(words...)
	both := w.Do("EXEC").([]any)
	require.Equal(w.T, both[0], both[1], words)
	return both[0]
}

func (w *reservations) reserve(user, id string) {
	k, quantity, ttl := w.all[user+id], 1+w.Int64N(9), 3+w.Int64N(9)
	words := []any{"CL.RESERVE", "r", user, w.key, quantity, id, ttl}
	if w.IntN(3) == 0 {
		words = append(words, "RELEASE")
	}
	if k != nil {
		require.Equal(w.T, k.reserved, w.ask(k.reserved, words...), words)
		return
	}
	k = &kept{user: user, end: w.Clock.Time + ttl*1e9, counts: quantity, releases: len(words) == 8}
	w.used[user] += quantity
	k.reserved = w.ask(nil, words...)
	require.Equal(w.T, 1_000_000-w.used[user], k.reserved.([]any)[2], words)
	w.all[user+id] = k
}

func (w *reservations) settle(user, id string) {
	k, quantity := w.all[user+id], w.Int64N(9)
	words := []any{"CL.SETTLE", "r", user, w.key, id, quantity}
	if k == nil {
		reply, _ := w.Do(words...).(error)
		require.EqualError(w.T, reply, string(rules.ErrNoReservation), words)
		return
	}
	if k.settled == nil {
		w.used[user] += quantity - k.counts
		k.settled = w.ask(nil, words...)
		require.Equal(w.T, 1_000_000-w.used[user], k.settled.([]any)[2], words)
		return
	}
	require.Equal(w.T, k.settled, w.ask(k.settled, words...), words)
}

// restoreAll dumps all keys, and restores them in an empty database. It returns the size of the longest numbered
// bucket.
func (w *reservations) restoreAll() (longest int64) {
	type dumped struct{ key, payload, at any }
	var all []dumped
	for _, key := range w.Do("KEYS *").([]any) {
		all = append(all, dumped{key, w.Do("DUMP", key), w.Do("PEXPIRETIME", key)})
		if strings.HasSuffix(key.(string), ":reserved:7") {
			longest = max(longest, w.Do("STRLEN", key).(int64))
		}
	}
	w.Do("FLUSHALL")
	for _, d := range all {
		require.Equal(w.T, ok, w.Do("RESTORE", d.key, d.at, d.payload, "ABSTTL"))
	}
	return longest
}

// TestBucketsOfAKey: the reservations of a key share one key, whose expiry goes on with them. Only if it has 32 of them,
// others get keys of their own. The next reservation drops those that have ended, if they are many.
func TestBucketsOfAKey(t *testing.T) {
	h := servertest.New(t)
	h.At(1_790_000_040_000_000_000)
	h.Do("CL.RULE SET r CL.WINDOW 1000000 3600")
	reserve := func(from, to, ttl int) {
		for i := from; i < to; i++ {
			h.Do(fmt.Sprint("CL.RESERVE r k 1 id", i, " ", ttl))
		}
	}
	const shared = "r:{k}:reserved"
	keys := func() int { return len(h.Do("KEYS " + shared + "*").([]any)) }
	size := func() int64 { return h.Do("STRLEN " + shared).(int64) }
	reserve(0, 1, 60)
	h.Want("PTTL "+shared, 70_000) // ten seconds longer than its record
	h.Advance(10 * time.Second)
	reserve(1, 2, 60)
	h.Want("PTTL "+shared, 60_000)
	h.Advance(time.Second)
	reserve(2, 3, 60)
	h.Want("PTTL "+shared, 120_000) // longer, so that the next one need not change it
	h.Advance(time.Second)
	reserve(3, 32, 60)
	h.Want("PTTL "+shared, 119_000)
	require.Equal(t, 1, keys())
	full := size()
	require.Less(t, full, int64(32*80))
	reserve(32, 40, 90)
	require.Greater(t, keys(), 1)
	require.Equal(t, full, size())
	for _, numbered := range h.Do("KEYS " + shared + ":*").([]any) {
		h.Want(fmt.Sprint("PTTL ", numbered), 90_000)
	}
	reserve(0, 40, 60)
	h.Want("GET r:{k}:window", "40")
	h.Advance(70 * time.Second)
	reserve(40, 41, 60)
	require.Less(t, size(), full/10)
	for i := range 41 {
		_, missing := h.Do(fmt.Sprint("CL.SETTLE r k id", i, " 0")).(error)
		require.Equal(t, i < 32, missing, i)
	}
	h.Advance(61 * time.Second)
	require.Equal(t, 1, keys())
	h.Advance(10 * time.Second)
	require.Zero(t, keys())

	reserve(50, 51, 1)
	h.Advance(10500 * time.Millisecond)
	reserve(51, 52, 1)
	h.Want("PTTL "+shared, 11_000) // ten seconds longer, because the ttl is less
}

// TestReservedTexts: an empty string at the key of the reservations is no bucket, but has room for one. Any other text is an error.
func TestReservedTexts(t *testing.T) {
	h := servertest.New(t)
	h.Do("CL.RULE SET r CL.WINDOW 100 3600")
	h.Do("SET", "r:{k}:reserved", "")
	for range 2 {
		h.Want("CL.RESERVE r k 1 a 60", []any{0, 100, 99, -1, 3600})
	}
	h.Do("SET r:{k}:reserved text")
	h.Want("CL.RESERVE r k 1 b 60", commands.Error("ERR the key holds no reservations"))
	h.Want("GET r:{k}:window", "1")
}

// written counts the bytes of strings that transactions write.
type written int

func (w *written) Committed(_ *store.Tx, effects []store.Effect) {
	for i := range effects {
		*w += written(len(effects[i].Value))
	}
}

// TestReservationsWriteLittle: a reservation writes its own record, and not those that its bucket has already.
func TestReservationsWriteLittle(t *testing.T) {
	h := servertest.New(t)
	h.Do("CL.RULE SET r CL.WINDOW 1000000 3600")
	var bytes written
	h.Store.Observe(&bytes)
	const requests = 40_000 // about ten for each numbered bucket
	for i := range requests {
		h.Do("CL.RESERVE", "r", "k", 1, i, 60)
	}
	require.Less(t, int(bytes), 80*requests)
	h.Advance(61 * time.Second)
	bytes = 0
	h.Do("CL.RESERVE r k 1 id 60")
	require.Less(t, int(bytes), 100)
	h.Want("CL.CHECK r k 0", []any{0, 1_000_000, 1_000_000 - requests - 1, -1, 3539})
}

// TestReservationsAllocateNothing: a shared bucket that is written again keeps its memory.
func TestReservationsAllocateNothing(t *testing.T) {
	h := servertest.New(t)
	h.Do("CL.RULE SET r CL.THROTTLE 1000000 30 60")
	var sent [][]byte
	for i := range 64 {
		id := fmt.Sprint("request-", i)
		sent = append(sent, slices.Concat(servertest.Pipeline(1, "CL.RESERVE", "r", "key", "5", id, "1"), servertest.Pipeline(1, "CL.SETTLE", "r", "key", id, "3")))
	}
	n := 0
	servertest.NoAllocs(t, 100, func() {
		for range 32 { // the bucket is written again more than once
			h.Clock.Advance(int64(100 * time.Millisecond))
			servertest.Exchange(t, h.Session, sent[n%len(sent)])
			n++
		}
	})
}
