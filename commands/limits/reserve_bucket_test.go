package limits

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"cellserver/internal/randtest"
	"cellserver/limiters/rules"
	"cellserver/server/servertest"

	"github.com/stretchr/testify/require"
)

// kept is what a client knows of a reservation.
type kept struct {
	end, estimate     int64
	reserved, settled any // the first replies; settled is nil before the settlement
}

// TestReservationsOfAKey compares the reservations of one key with a map, under random requests. At times the key has few
// reservations, and at times more than a shared bucket has room for. Requests repeat.
func TestReservationsOfAKey(t *testing.T) {
	r := rand.New(randtest.Source(t))
	h := servertest.New(t)
	h.Do("CL.RULE SET r CL.WINDOW 1000000 1000000000")
	all, used, most := map[string]*kept{}, int64(0), 0
	for step := range 6000 {
		ids := 12
		if step/1500%2 == 1 {
			ids = 120
		}
		h.Advance(time.Duration(r.IntN(100)) * time.Millisecond)
		for id, k := range all {
			if h.Clock.Time >= k.end {
				delete(all, id)
			}
		}
		most = max(most, len(all))
		id, quantity := fmt.Sprint("id", r.IntN(ids)), 1+r.Int64N(9)
		k := all[id]
		if r.IntN(2) == 0 {
			ttl := 1 + r.Int64N(8)
			reply := h.Do(fmt.Sprint("CL.RESERVE r k ", quantity, " ", id, " ", ttl))
			if k == nil {
				used += quantity
				require.Equal(t, 1_000_000-used, reply.([]any)[2], step)
				k = &kept{end: h.Clock.Time + ttl*1e9, estimate: quantity, reserved: reply}
				all[id] = k
			}
			require.Equal(t, k.reserved, reply, step)
			continue
		}
		reply := h.Do(fmt.Sprint("CL.SETTLE r k ", id, " ", quantity))
		if k == nil {
			require.EqualError(t, reply.(error), string(rules.ErrNoReservation), step)
			continue
		}
		if k.settled == nil {
			used += quantity - k.estimate
			require.Equal(t, 1_000_000-used, reply.([]any)[2], step)
			k.settled = reply
		}
		require.Equal(t, k.settled, reply, step)
	}
	require.Greater(t, most, 40, "more than a shared bucket has room for")
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
	h.Want("PTTL "+shared, 60_000)
	h.Advance(time.Second)
	reserve(1, 2, 60)
	h.Want("PTTL "+shared, 120_000) // longer, so that the next one need not change it
	h.Advance(time.Second)
	reserve(2, 32, 60)
	h.Want("PTTL "+shared, 119_000)
	require.Equal(t, 1, keys())
	full := size()
	require.Less(t, full, int64(32*80))
	reserve(32, 40, 90)
	require.Greater(t, keys(), 1)
	require.Equal(t, full, size())
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
	require.Zero(t, keys())
}
