package backend

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"cellserver/envoy/count"
	"cellserver/envoy/count/counttest"
	"cellserver/internal/randtest"

	"github.com/stretchr/testify/require"
)

// TestRandomRequestsCountAsTheModel: requests repeat counters, with limits that differ and with looks.
func TestRandomRequestsCountAsTheModel(t *testing.T) {
	r := rand.New(randtest.Source(t))
	for name, open := range map[string]func(*testing.T) (count.Counter, *clock){
		"embedded": newEmbedded, "single": engines["single"],
	} {
		t.Run(name, func(t *testing.T) {
			b, c := open(t)
			model, now := counttest.New(), time.Unix(1000+3000*7*86400, 0) // the same second of a week
			c.set(now)
			refusals := 0
			for range 2000 {
				request := count.Request{Domain: "shop", AllOrNone: r.IntN(2) == 0}
				if r.IntN(50) == 0 {
					now = now.Add(20 * time.Second)
					c.set(now)
					model.Move(20 * time.Second)
				}
				shadow := r.IntN(4) == 0
				charges := !request.AllOrNone || shadow
				for range 1 + r.IntN(4) {
					h := hit(fmt.Sprint(r.IntN(3)), 1+r.Uint64N(13), r.Uint64N(4))
					if h.Hits > 0 && r.IntN(20) == 0 {
						h.Limit = r.Uint64N(2)
					}
					h.GiveBack, h.Shadow = charges && h.Hits > 0 && r.IntN(4) == 0, shadow
					request.Hits = append(request.Hits, h)
				}
				want, err := model.Count(t.Context(), request)
				require.NoError(t, err)
				got := asked(t, b, request)
				refused := [2]bool{}
				for i, h := range request.Hits {
					refused[0], refused[1] = refused[0] || want[i].Over, refused[1] || got[i].Over
					if h.GiveBack { // how much came back, nobody knows
						require.False(t, got[i].Over)
						continue
					}
					require.LessOrEqual(t, got[i].Before, got[i].After)
					if charges {
						require.Equal(t, want[i], got[i], "hit %d of %+v", i, request)
					} else if want[i].Before+h.Hits <= h.Limit && !want[i].Over {
						require.False(t, got[i].Over, "hit %d of %+v", i, request)
					}
				}
				require.Equal(t, refused[0], refused[1], "%+v: %+v, %+v", request, want, got)
				if refused[1] {
					refusals++
				}
			}
			require.Greater(t, refusals, 100)
		})
	}
}

// TestManyDescriptorsFindTheirCounters: hits on one counter meet, however many there are.
func TestManyDescriptorsFindTheirCounters(t *testing.T) {
	r := count.Request{}
	for i := range 8 << 10 {
		r.Hits = append(r.Hits, hit(fmt.Sprintf("shop:user=%08d", i%(4<<10)), 100, 1))
	}
	plan, err := planner{}.plan(&r, false)
	require.NoError(t, err)
	require.Len(t, plan, (4<<10)/mostCounters)
	for _, c := range plan {
		for _, one := range c.counters {
			require.Len(t, one.hits, 2)
			require.Equal(t, int64(2), one.quantity)
		}
	}
}

// TestLooksRefuse: a look at a limit that is used up refuses a request that counts all or nothing.
func TestLooksRefuse(t *testing.T) {
	onEach(t, func(t *testing.T, b count.Counter, c *clock) {
		for _, algorithm := range []string{count.FixedWindow, count.SlidingWindow, count.GCRA, count.Log} {
			for limit := range uint64(3) {
				if limit == 0 && algorithm != count.FixedWindow {
					continue
				}
				look, other := hit("a", limit, 0), hit(fmt.Sprint(algorithm, limit), 9, 1)
				look.Algorithm = algorithm
				look.Key += other.Key
				both := count.Request{AllOrNone: true, Hits: []count.Hit{look, other}}
				if limit > 0 {
					got := asked(t, b, both)
					require.Equal(t, []bool{false, false}, []bool{got[0].Over, got[1].Over})
					require.Equal(t, []uint64{0, 0, 0, 1}, []uint64{got[0].Before, got[0].After, got[1].Before, got[1].After})
					look.Hits = limit
					asked(t, b, count.Request{Hits: []count.Hit{look}})
				}
				got := asked(t, b, both)
				require.True(t, got[0].Over, "%s %d", algorithm, limit)
				require.Equal(t, []uint64{limit, limit}, []uint64{got[0].Before, got[0].After})
				require.Equal(t, got[1].Before, got[1].After, "%s %d: the other one counts", algorithm, limit)
			}
		}
	})
}

// TestLargeBursts: hits that are more than the limit fit into a burst that is larger.
func TestLargeBursts(t *testing.T) {
	onEach(t, func(t *testing.T, b count.Counter, c *clock) {
		for _, allOrNone := range []bool{false, true} {
			h := hit(fmt.Sprint(allOrNone), 10, 20)
			h.Algorithm, h.Burst = count.GCRA, 100
			r := count.Request{AllOrNone: allOrNone, Hits: []count.Hit{h}}
			for i := range 5 {
				require.False(t, asked(t, b, r)[0].Over, "%d of 100 are used", 20*i)
			}
			require.True(t, asked(t, b, r)[0].Over)
			h.Key, h.Hits = h.Key+" retry", 99
			r.Hits = []count.Hit{h}
			require.Zero(t, asked(t, b, r)[0].Retry)
			r.Hits[0].Hits = 2
			got := asked(t, b, r)[0]
			require.True(t, got.Over)
			wait := map[bool]time.Duration{true: 6 * time.Second, false: 12 * time.Second} // what is charged comes back, too
			require.Equal(t, wait[allOrNone], got.Retry)
			require.Greater(t, got.Reset, 9*time.Minute)
			h.Key, h.Hits = h.Key+" twice", 50
			r.Hits = []count.Hit{h, h}
			for _, got := range asked(t, b, r) {
				require.False(t, got.Over)
			}
			r.Hits = []count.Hit{h}
			r.Hits[0].Hits = 0
			got = asked(t, b, r)[0]
			require.Equal(t, []any{uint64(10), uint64(10), true}, []any{got.Before, got.After, got.Over})
		}
	})
}

// TestSkewedClocksShareAWindow: the clock of the server counts. Theirs uses another window on each copy, and a
// counter lives up to 300 s after its window.
func TestSkewedClocksShareAWindow(t *testing.T) {
	b, c := newRESP(t, RESPOptions{})
	c.set(noon)
	skewed := RESPOptions{
		URL: b.(*overRESP).options.InitAddress[0], Now: func() time.Time { return noon.Add(90 * time.Second) },
	}
	other, err := OverRESP(skewed)
	require.NoError(t, err)
	await(t, other)
	left := 50 * time.Second
	r := count.Request{Hits: []count.Hit{hit("a", 3, 2)}}
	require.Equal(t, []count.Result{result(0, 2, false, left)}, asked(t, b, r))
	require.Equal(t, []count.Result{result(2, 4, true, left)}, asked(t, other, r))
	client := b.(*overRESP).live.Load().client
	ttl, err := client.Do(t.Context(), client.B().Pttl().Key("a/60").Build()).AsInt64()
	require.NoError(t, err)
	require.Equal(t, left.Milliseconds(), ttl, "the counter ends with its window")
}
