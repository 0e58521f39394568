package backend

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"cellserver/cmd/cellserver/app"
	"cellserver/envoy/count"
	"cellserver/internal/config/configload"
	"cellserver/internal/porttest"
	"cellserver/resp"

	"github.com/stretchr/testify/require"
)

// clock is the clock of an engine and of its backend.
type clock struct {
	t      *testing.T
	engine *app.App
	now    atomic.Int64
}

// noon is a time in the middle of a Thursday.
var noon = time.Date(2026, 1, 29, 12, 0, 10, 0, time.UTC)

func (c *clock) read() time.Time { return time.Unix(0, c.now.Load()) }

// set moves the clock to a time.
func (c *clock) set(to time.Time) {
	c.t.Helper()
	c.now.Store(to.UnixNano())
	args := []string{"DEBUG", "CLOCK", "SET", strconv.FormatInt(to.UnixNano(), 10)}
	require.NoError(c.t, c.engine.Commands().Do(c.t.Context(), args, func(resp.Reply) {}))
}

// await waits until a backend is ready.
func await(t *testing.T, b count.Counter) {
	t.Helper()
	require.Eventually(t, func() bool { return b.Ready() == nil }, time.Minute, time.Millisecond, "it is not ready")
	t.Cleanup(func() { require.NoError(t, b.Close()) })
}

// newEmbedded starts an engine in memory.
func newEmbedded(t *testing.T) (count.Counter, *clock) {
	c := &clock{t: t}
	b, err := Embedded(EmbeddedOptions{
		Directives: []string{"--enable-debug-command", "yes"}, Log: slog.New(slog.DiscardHandler), Now: c.read,
	})
	require.NoError(t, err)
	c.engine = b.(*embedded).app
	await(t, b)
	return b, c
}

// newServer starts a server with directives, and returns its port.
func newServer(t *testing.T, directives ...string) (*app.App, int) {
	port := porttest.Free(t)
	cfg, _, err := configload.Load(append([]string{
		"--port", fmt.Sprint(port), "--bind", "127.0.0.1", "--save", "", "--enable-debug-command", "yes", "--dir", t.TempDir(),
	}, directives...), nil, nil)
	require.NoError(t, err)
	a, err := app.New(app.Options{Config: cfg, Log: slog.New(slog.DiscardHandler)})
	require.NoError(t, err)
	ctx, stop := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- a.Run(ctx) }()
	t.Cleanup(func() {
		stop()
		require.NoError(t, <-done)
	})
	return a, port
}

// newRESP starts a server, and a backend that counts in it.
func newRESP(t *testing.T, o RESPOptions, directives ...string) (count.Counter, *clock) {
	c := &clock{t: t}
	engine, port := newServer(t, directives...)
	c.engine = engine
	o.URL, o.Now = fmt.Sprint(o.URL, "127.0.0.1:", port), c.read
	b, err := OverRESP(o)
	require.NoError(t, err)
	await(t, b)
	return b, c
}

// engines are all ways to an engine.
var engines = map[string]func(*testing.T) (count.Counter, *clock){
	"embedded": newEmbedded,
	"single":   func(t *testing.T) (count.Counter, *clock) { return newRESP(t, RESPOptions{Prefix: "p:"}) },
	"auth": func(t *testing.T) (count.Counter, *clock) {
		return newRESP(t, RESPOptions{Auth: "default:secret", Type: "single"}, "--requirepass", "secret")
	},
	"cluster": func(t *testing.T) (count.Counter, *clock) {
		return newRESP(t, RESPOptions{Type: Cluster}, "--cluster-enabled", "yes")
	},
	"sentinel": func(t *testing.T) (count.Counter, *clock) {
		return newRESP(t, RESPOptions{Type: Sentinel, URL: "mymaster,"}, "--cluster-enabled", "yes")
	},
}

func onEach(t *testing.T, test func(*testing.T, count.Counter, *clock)) {
	for name, open := range engines {
		t.Run(name, func(t *testing.T) {
			b, c := open(t)
			c.set(noon)
			test(t, b, c)
		})
	}
}

// asked counts a request that must succeed.
func asked(t *testing.T, b count.Counter, r count.Request) []count.Result {
	t.Helper()
	r.Domain = "shop"
	got, err := b.Count(t.Context(), r)
	require.NoError(t, err)
	return got
}

const minute = time.Minute

func result(before, after uint64, over bool, reset time.Duration) count.Result {
	return count.Result{Before: before, After: after, Over: over, Reset: reset}
}

func hit(key string, limit, hits uint64) count.Hit {
	return count.Hit{Key: key, Limit: limit, Period: minute, Hits: hits}
}

// TestCharges: by default each hit counts, also a refused one, and the windows are those of the clock.
func TestCharges(t *testing.T) {
	onEach(t, func(t *testing.T, b count.Counter, c *clock) {
		two := count.Request{Hits: []count.Hit{hit("a", 3, 2), hit("b", 100, 1)}}
		require.Equal(t, []count.Result{result(0, 2, false, 50*time.Second), result(0, 1, false, 50*time.Second)}, asked(t, b, two))
		require.Equal(t, []count.Result{result(2, 4, true, 50*time.Second), result(1, 2, false, 50*time.Second)}, asked(t, b, two))
		look := count.Request{Hits: []count.Hit{hit("a", 3, 0), hit("b", 3, 0), hit("new", 3, 0)}}
		require.Equal(t, []count.Result{
			result(4, 4, true, 50*time.Second), result(2, 2, false, 50*time.Second), result(0, 0, false, 50*time.Second),
		}, asked(t, b, look))
		c.set(noon.Add(49 * time.Second))
		require.Equal(t, []count.Result{result(4, 5, true, time.Second)}, asked(t, b, count.Request{Hits: []count.Hit{hit("a", 3, 1)}}))
		c.set(noon.Add(50 * time.Second))
		require.Equal(t, []count.Result{result(0, 1, false, minute)}, asked(t, b, count.Request{Hits: []count.Hit{hit("a", 3, 1)}}))
	})
}

// TestSaturates: the largest addend counts, and gives nothing back. Of theirs it gives a hit back.
func TestSaturates(t *testing.T) {
	onEach(t, func(t *testing.T, b count.Counter, c *clock) {
		r := count.Request{Hits: []count.Hit{hit("a", 3, 1)}}
		asked(t, b, r)
		r.Hits[0].Hits = math.MaxUint64
		for range 3 {
			require.True(t, asked(t, b, r)[0].Over)
		}
		r.Hits[0].Hits = 1
		got := asked(t, b, r)[0]
		require.True(t, got.Over)
		require.Equal(t, uint64(math.MaxInt64), got.Before+1)
	})
}

// TestGivesBack: hits come back, but not below 0, and not of a window that has ended.
func TestGivesBack(t *testing.T) {
	onEach(t, func(t *testing.T, b count.Counter, c *clock) {
		back := hit("a", 3, 2)
		back.GiveBack = true
		asked(t, b, count.Request{Hits: []count.Hit{hit("a", 3, 5)}})
		got := asked(t, b, count.Request{Hits: []count.Hit{back}})
		require.Equal(t, []count.Result{result(5, 3, false, 50*time.Second)}, got)
		asked(t, b, count.Request{Hits: []count.Hit{hit("a", 3, 9)}})
		for _, allOrNone := range []bool{false, true} {
			got = asked(t, b, count.Request{AllOrNone: allOrNone, Hits: []count.Hit{back, hit("b", 3, 1)}})
			require.False(t, got[0].Over || got[1].Over, "more than the limit is used, and hits come back")
		}
		back.Hits = 1 << 63
		require.Equal(t, uint64(0), asked(t, b, count.Request{Hits: []count.Hit{back}})[0].After)
		require.Equal(t, uint64(1), asked(t, b, count.Request{Hits: []count.Hit{hit("a", 3, 1)}})[0].After)
		c.set(noon.Add(minute))
		require.Equal(t, uint64(0), asked(t, b, count.Request{Hits: []count.Hit{back}})[0].After)
		require.Equal(t, uint64(3), asked(t, b, count.Request{Hits: []count.Hit{hit("a", 3, 3)}})[0].After)
	})
}

// TestAllOrNone: a refused request counts nothing, also not in a shadow.
func TestAllOrNone(t *testing.T) {
	onEach(t, func(t *testing.T, b count.Counter, c *clock) {
		shadow := hit("s", 1, 1)
		shadow.Shadow = true
		r := count.Request{AllOrNone: true, Hits: []count.Hit{hit("a", 5, 1), shadow, hit("b", 2, 1)}}
		for range 2 {
			asked(t, b, r)
		}
		left := 50 * time.Second
		require.Equal(t, []count.Result{result(2, 2, false, left), result(2, 2, true, left), result(2, 2, true, left)}, asked(t, b, r))
		require.Equal(t, []count.Result{result(2, 2, false, left), result(2, 2, true, left), result(2, 2, true, left)}, asked(t, b,
			count.Request{Hits: []count.Hit{hit("a", 5, 0), hit("s", 1, 0), hit("b", 2, 0)}}))
		r.Hits = nil
		for i := range mostCounters + 1 {
			r.Hits = append(r.Hits, hit(fmt.Sprint("many", i), 1, 1))
		}
		_, err := b.Count(t.Context(), r)
		require.ErrorIs(t, err, count.ErrUnsupported)
		r.AllOrNone = false
		require.Len(t, asked(t, b, r), mostCounters+1)
		require.Equal(t, uint64(1), asked(t, b, count.Request{Hits: []count.Hit{hit("many128", 1, 0)}})[0].Before)
	})
}

// TestGivesBackWhatWasCounted: of one counter, a request counts hits in full, although it gives more back. If it
// is refused, nothing comes back.
func TestGivesBackWhatWasCounted(t *testing.T) {
	onEach(t, func(t *testing.T, b count.Counter, c *clock) {
		for _, algorithm := range []string{count.FixedWindow, count.SlidingWindow, count.GCRA} {
			of := func(limit, hits uint64) count.Hit {
				h := hit("back "+algorithm, limit, hits)
				h.Algorithm = algorithm
				return h
			}
			back := of(9, 5)
			back.GiveBack = true
			got := asked(t, b, count.Request{AllOrNone: true, Hits: []count.Hit{back, of(9, 7)}})
			require.Equal(t, []uint64{0, 7}, []uint64{got[1].Before, got[1].After}, algorithm)
			require.Equal(t, []uint64{7, 2}, []uint64{got[0].Before, got[0].After}, algorithm)
			got = asked(t, b, count.Request{AllOrNone: true, Hits: []count.Hit{back, of(9, 8)}})
			require.True(t, got[1].Over, algorithm)
			require.Equal(t, []uint64{2, 2}, []uint64{got[0].Before, got[0].After}, algorithm)
			require.Equal(t, uint64(2), asked(t, b, count.Request{Hits: []count.Hit{of(9, 0)}})[0].After, algorithm)
			asked(t, b, count.Request{Hits: []count.Hit{of(9, 5)}})
			back.Hits = 1
			got = asked(t, b, count.Request{Hits: []count.Hit{back, back, back}})
			require.Equal(t, []uint64{7, 6, 6, 5, 5, 4},
				[]uint64{got[0].Before, got[0].After, got[1].Before, got[1].After, got[2].Before, got[2].After}, algorithm)
		}
	})
}

// TestSameCounterTwice: hits on one counter count one after the other.
func TestSameCounterTwice(t *testing.T) {
	onEach(t, func(t *testing.T, b count.Counter, c *clock) {
		left := 50 * time.Second
		r := count.Request{Hits: []count.Hit{hit("a", 3, 2), hit("b", 3, 1), hit("a", 3, 2)}}
		require.Equal(t, []count.Result{result(0, 2, false, left), result(0, 1, false, left), result(2, 4, true, left)}, asked(t, b, r))
		r.AllOrNone = true
		require.Equal(t, []count.Result{result(3, 3, true, left), result(1, 1, false, left), result(3, 3, true, left)}, asked(t, b, r))
	})
}

// TestKindsOfWindows: windows of another kind are other counters.
func TestKindsOfWindows(t *testing.T) {
	onEach(t, func(t *testing.T, b count.Counter, c *clock) {
		kinds := []count.Hit{
			{Period: time.Second}, {Period: 1500 * time.Millisecond}, {Period: time.Hour}, {Period: 7 * 24 * time.Hour},
			{Period: 365 * 24 * time.Hour}, {Calendar: "month"}, {Calendar: "year"}, {Calendar: "day", Zone: "Europe/Berlin"}, {Calendar: "week"},
		}
		resets := []time.Duration{
			time.Second, 500 * time.Millisecond, 3590 * time.Second, 7*24*time.Hour - 43210*time.Second, 0,
			2*24*time.Hour + 43190*time.Second, 336*24*time.Hour + 43190*time.Second, 39590 * time.Second, 3*24*time.Hour + 43190*time.Second,
		}
		for round := range uint64(2) {
			r := count.Request{}
			for _, h := range kinds {
				h.Key, h.Limit, h.Hits = "a", 10, 1
				r.Hits = append(r.Hits, h)
			}
			for i, got := range asked(t, b, r) {
				require.Equal(t, round, got.Before, "%+v", kinds[i])
				if resets[i] != 0 {
					require.Equal(t, resets[i], got.Reset, "%+v", kinds[i])
				}
			}
		}
		for want, h := range map[string]count.Hit{
			"windows of a hour: use day, week, month or year": {Key: "a", Calendar: "hour"},
			"period 100µs: use whole milliseconds":            {Key: "a", Period: 100 * time.Microsecond},
			"algorithm fuzzy":                                 {Key: "a", Period: minute, Algorithm: "fuzzy"},
			"algorithm gcra by the calendar":                  {Key: "a", Calendar: "day", Algorithm: count.GCRA},
			"a log gives no hits back":                        {Key: "a", Period: minute, Algorithm: count.Log, GiveBack: true},
		} {
			_, err := b.Count(t.Context(), count.Request{Hits: []count.Hit{h}})
			require.ErrorIs(t, err, count.ErrUnsupported)
			require.ErrorContains(t, err, want)
		}
		_, err := b.Count(t.Context(), count.Request{Hits: []count.Hit{{Key: "a", Calendar: "day", Zone: "Mars"}}})
		require.ErrorContains(t, err, "tz 'Mars' is not a time zone")
	})
}

// TestAlgorithms: each limit counts by its own algorithm.
func TestAlgorithms(t *testing.T) {
	onEach(t, func(t *testing.T, b count.Counter, c *clock) {
		c.set(noon.Add(40 * time.Second)) // 10 s before the end of the minute
		r := count.Request{}
		for _, algorithm := range []string{count.FixedWindow, count.SlidingWindow, count.GCRA, count.Log} {
			h := hit("a", 6, 6)
			h.Algorithm = algorithm
			r.Hits = append(r.Hits, h)
		}
		burst := hit("b", 60, 6) // one a second, and six at once
		burst.Algorithm, burst.Burst = count.GCRA, 6
		r.Hits = append(r.Hits, burst)
		for _, got := range asked(t, b, r) {
			require.False(t, got.Over)
		}
		for i := range r.Hits {
			r.Hits[i].Hits = 1
		}
		for _, got := range asked(t, b, r) {
			require.True(t, got.Over)
		}
		c.set(noon.Add(52 * time.Second)) // two seconds of the next minute
		var over []bool
		for _, got := range asked(t, b, r) {
			over = append(over, got.Over)
		}
		require.Equal(t, []bool{false, true, true, true, false}, over)
		for i := range r.Hits {
			r.Hits[i].Hits = math.MaxUint64
		}
		for i, got := range asked(t, b, r) {
			require.True(t, got.Over, "the largest addend of %s", r.Hits[i].Algorithm)
		}
	})
}

// TestBurstsKeepTheRate: a burst that is small beside the rate makes the rate no larger.
func TestBurstsKeepTheRate(t *testing.T) {
	onEach(t, func(t *testing.T, b count.Counter, c *clock) {
		h := count.Hit{Key: "a", Limit: 700, Period: time.Second, Hits: 1, Algorithm: count.GCRA, Burst: 1}
		passed := 0
		for i := range 2000 {
			c.set(noon.Add(time.Duration(i) * 500 * time.Microsecond))
			if !asked(t, b, count.Request{AllOrNone: true, Hits: []count.Hit{h}})[0].Over {
				passed++
			}
		}
		require.InDelta(t, 667, passed, 34) // a step of the clock is a third of what comes back
	})
}

// TestExactlyTheLimit: of callers at the same time exactly the limit passes.
func TestExactlyTheLimit(t *testing.T) {
	onEach(t, func(t *testing.T, b count.Counter, c *clock) {
		for _, allOrNone := range []bool{false, true} {
			var passed atomic.Int64
			var callers sync.WaitGroup
			key := fmt.Sprint("k", allOrNone)
			for range 64 {
				callers.Go(func() {
					for range 20 {
						r := count.Request{Domain: "shop", AllOrNone: allOrNone, Hits: []count.Hit{hit(key, 1000, 1), hit(key+"2", 2000, 1)}}
						got, err := b.Count(t.Context(), r)
						if err != nil {
							t.Error(err)
							return
						}
						if !got[0].Over {
							passed.Add(1)
						}
					}
				})
			}
			callers.Wait()
			require.EqualValues(t, 1000, passed.Load())
		}
	})
}

// TestCallersDeadline: no call outlives its deadline, and nobody waits for a store that is away.
func TestCallersDeadline(t *testing.T) {
	b, err := OverRESP(RESPOptions{URL: fmt.Sprint("127.0.0.1:", porttest.Free(t)), Timeout: 2 * time.Minute})
	require.NoError(t, err)
	begin := time.Now()
	_, err = b.Count(t.Context(), count.Request{Hits: []count.Hit{hit("a", 1, 1)}})
	require.ErrorContains(t, err, "no connection to 127.0.0.1:")
	require.Error(t, b.Ready())
	require.Less(t, time.Since(begin), time.Minute, "half of the timeout: the machine may be busy")
	require.NoError(t, b.Close())

	for _, open := range engines {
		b, _ := open(t)
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		_, err := b.Count(ctx, count.Request{Hits: []count.Hit{hit("late", 1, 1)}})
		if err == nil {
			continue // it counted at once
		}
		require.True(t, errors.Is(err, context.Canceled), err)
	}
}

// TestWrongOptions: a wrong address is an error at once.
func TestWrongOptions(t *testing.T) {
	for want, o := range map[string]RESPOptions{
		"'x' is not a type: use SINGLE, SENTINEL or CLUSTER": {Type: "x", URL: "127.0.0.1:1"},
		"'mymaster' names no sentinel":                       {Type: Sentinel, URL: "mymaster"},
		"is not a URL of a Redis":                            {URL: "http://user:secret@host:1"},
		"REDIS_URL is not a URL: use redis://":               {URL: "redis://:secret@host:x"},
		"REDIS_URL is not a URL: use redis://user":           {URL: "redis://:1/secret@host:6379"},
		"SENTINEL takes no URL: use master,host:port":        {Type: Sentinel, URL: "redis://:secret@host:1"},
		"CLUSTER takes no URL: use host:port,host:port":      {Type: Cluster, URL: "redis://:secret@host:1"},
	} {
		_, err := OverRESP(o)
		require.ErrorContains(t, err, want)
		require.NotContains(t, err.Error(), "secret")
	}
	_, err := Embedded(EmbeddedOptions{Directives: []string{"--include", "none.conf"}})
	require.ErrorContains(t, err, "can't open config file 'none.conf'")
	_, err = Embedded(EmbeddedOptions{Directives: []string{"--nonsense", "1"}})
	require.ErrorContains(t, err, "nonsense")
}
