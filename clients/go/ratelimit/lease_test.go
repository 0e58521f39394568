package ratelimit

import (
	"context"
	"fmt"
	"os"
	"regexp"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"cellserver/sidecar/account"

	"github.com/redis/go-redis/v9"
	"github.com/stretchr/testify/require"
)

// hot is a server and a limiter with leases. The test moves their clocks.
type hot struct {
	*server
	l     *Limiter
	clock *atomic.Int64 // µs
}

func startHot(t *testing.T, o Options) *hot {
	s := start(t)
	o.Lease = true
	h := &hot{server: s, clock: new(atomic.Int64)}
	h.clock.Store(1_800_000_000_000_000)
	h.l = h.more(s.limiter(o))
	return h
}

// more makes a limiter read the clock of the test.
func (h *hot) more(l *Limiter) *Limiter {
	l.leases.clock = func() account.Time { return account.Time{Boot: h.clock.Load(), Wall: h.clock.Load()} }
	return l
}

// sends finds the goroutines of questions under way.
var sends = regexp.MustCompile(`created by \S+\(\*leases\)\.(unlock|giveBack)`)

// settle waits until every question of before has its answer.
func (h *hot) settle() {
	for stacks := make([]byte, 1<<20); sends.Match(stacks[:runtime.Stack(stacks, true)]); {
		time.Sleep(time.Millisecond)
	}
}

func (h *hot) pass(d time.Duration) {
	h.settle()
	h.clock.Add(d.Microseconds())
	h.do("DEBUG", "CLOCK", "ADVANCE", d.Nanoseconds())
}

func (h *hot) ask(q Question) Decision {
	h.t.Helper()
	d, err := h.l.Ask(h.t.Context(), q)
	require.NoError(h.t, err)
	return d
}

// warm sends so many requests in each 100 ms of a second.
func (h *hot) warm(q Question, each int) {
	for range 10 {
		for range each {
			h.ask(q)
		}
		h.pass(100 * time.Millisecond)
	}
}

// leased counts the questions for leases.
func (h *hot) leased() (calls int) {
	_, _ = fmt.Sscanf(infoLine(h.do("INFO", "commandstats").(string), "cmdstat_cl.lease:calls="), "%d", &calls)
	return calls
}

// TestLease: a hot key asks the server for few of its decisions, and the headers are those of the rule.
func TestLease(t *testing.T) {
	h := startHot(t, Options{})
	h.do("CL.RULE", "SET", "api", "CL.THROTTLE", 5999, 6000, 60)
	q := Question{"api", "ann"}
	require.Equal(t, `"api";r=5999;t=1`, h.ask(q).Limit, "a cold key asks the server")
	h.warm(q, 20)
	before := h.questions() + h.leased()
	for range 1000 {
		d := h.ask(q)
		require.True(t, d.Allowed)
		require.Equal(t, `"api";q=6000;w=60`, d.Policy)
		require.Regexp(t, `^"api";r=5\d\d\d;t=\d+$`, d.Limit)
		h.pass(time.Millisecond * 5)
	}
	require.Less(t, h.questions()+h.leased()-before, 40)

	two, err := h.l.Ask(t.Context(), q, Question{"api", "bob"})
	require.NoError(t, err)
	require.True(t, two.Allowed, "two rules are asked on the server")
}

// TestLeasesKeepTheLimit: three processes with one key admit what the rule allows, and not one more or less.
func TestLeasesKeepTheLimit(t *testing.T) {
	h := startHot(t, Options{})
	h.do("CL.RULE", "SET", "day", "CL.WINDOW", 3000, 86400)
	h.pass(time.Millisecond) // units that were granted in the moment of a change of the rule do not come back
	q := Question{"day", "all"}
	limiters := []*Limiter{h.l, h.more(h.limiter(Options{Lease: true})), h.more(h.limiter(Options{Lease: true}))}
	var admitted atomic.Int64
	for range 60 {
		var group sync.WaitGroup
		for i := range 30 {
			group.Go(func() {
				for range 10 {
					d, err := limiters[i%3].Ask(context.Background(), q)
					if err == nil && d.Allowed {
						admitted.Add(1)
					}
				}
			})
		}
		group.Wait()
		h.pass(50 * time.Millisecond)
	}
	require.EqualValues(t, 3000, admitted.Load())
	var refused Decision
	for range 50 {
		h.pass(time.Second)
		refused = h.ask(q)
	}
	require.False(t, refused.Allowed)
	require.Equal(t, []string{"day"}, refused.Violated)
	require.Positive(t, refused.RetryAfter)
	require.Less(t, h.questions()+h.leased(), 3000)
}

// TestGiveBack: what a limiter does not need any more is there for others. A client that may send a command
// twice gives nothing back.
func TestGiveBack(t *testing.T) {
	for _, retries := range []int{-1, 3} {
		h := startHot(t, Options{})
		l, err := New(h.client(func(o *redis.Options) { o.MaxRetries = retries }), Options{Lease: true, Timeout: time.Minute})
		require.NoError(t, err)
		h.l = h.more(l)
		h.do("CL.RULE", "SET", "day", "CL.WINDOW", 1000, 86400)
		q := Question{"day", "all"}
		h.warm(q, 20)
		spent := 0
		for range 3 { // the questions give back what is left
			h.pass(150 * time.Millisecond)
			h.l.leases.giveBack()
			require.Eventually(t, func() bool { return h.quiet() }, time.Minute, time.Millisecond)
		}
		left := h.do("CL.CHECK", "day", "all", 0).([]any)[2].(int64)
		if spent = 200; retries == -1 {
			require.EqualValues(t, 1000-spent, left)
		} else {
			require.Less(t, left, int64(1000-spent))
		}
	}
}

// quiet reports whether no question is under way, and no unit is held.
func (h *hot) quiet() bool {
	for i := range h.l.leases.shards {
		sh := &h.l.leases.shards[i]
		sh.mu.Lock()
		f := sh.table.Figures
		sh.mu.Unlock()
		if f.Leased != f.Spent+f.Returned+f.Stranded {
			return false
		}
	}
	return true
}

// TestLeasedRuleChanges: the headers follow a new limit, and a rule that cannot be leased is asked each time.
func TestLeasedRuleChanges(t *testing.T) {
	h := startHot(t, Options{})
	h.do("CL.RULE", "SET", "api", "CL.WINDOW", 6000, 60)
	q := Question{"api", "ann"}
	h.warm(q, 20)
	h.do("CL.RULE", "SET", "api", "CL.WINDOW", 9000, 60)
	require.Eventually(t, func() bool {
		h.pass(100 * time.Millisecond)
		for range 20 {
			if h.ask(q).Policy == `"api";q=9000;w=60` {
				return true
			}
		}
		return false
	}, time.Minute, time.Millisecond)

	h.do("CL.RULE", "SET", "shown", "CL.WINDOW", 10, 60, "SHADOW")
	q.Rule = "shown"
	h.warm(q, 20)
	require.True(t, h.ask(q).Allowed)
	before := h.leased()
	h.warm(q, 20)
	require.Equal(t, before, h.leased())
}

// TestLeaseWithoutServer: units are spent until their end. Then nobody decides.
func TestLeaseWithoutServer(t *testing.T) {
	var failures atomic.Int64
	// All but the last question have an answer within the time-out, also on a machine that stops for a while.
	h := startHot(t, Options{Timeout: 5 * time.Second, FailClosed: true, OnError: func(error) { failures.Add(1) }})
	h.do("CL.RULE", "SET", "api", "CL.THROTTLE", 5999, 6000, 60)
	q := Question{"api", "ann"}
	h.warm(q, 20)
	h.ask(q)
	require.NoError(t, h.Process.Signal(syscall.SIGSTOP))
	t.Cleanup(func() { _ = h.Process.Signal(syscall.SIGCONT) })
	require.Eventually(t, func() bool { // the signal takes a moment
		state, _ := os.ReadFile(fmt.Sprintf("/proc/%d/stat", h.Process.Pid))
		return strings.Contains(string(state), ") T ")
	}, time.Minute, time.Millisecond)
	for range 5 {
		require.True(t, h.ask(q).Allowed)
	}
	require.Zero(t, failures.Load())
	h.clock.Add(2_000_000)
	_, err := h.l.Ask(t.Context(), q)
	require.Error(t, err)
	require.Positive(t, failures.Load())
}

// silentServer is a client whose server never answers.
type silentServer struct{ redis.UniversalClient }

func (silentServer) Process(ctx context.Context, _ redis.Cmder) error {
	<-ctx.Done()
	return ctx.Err()
}

// TestLeaseKeepsTheTimeout: an action that waits for units, and then asks the rule, has one time-out for both.
func TestLeaseKeepsTheTimeout(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l, err := New(silentServer{}, Options{Lease: true, FailClosed: true, OnError: func(error) {}})
		require.NoError(t, err)
		l.leases.clock = func() account.Time { return account.Time{Boot: time.Now().UnixMicro(), Wall: time.Now().UnixMicro()} }
		q := Question{"api", "ann"}
		e := l.leases.lock(q)
		for now := l.leases.clock(); ; { // the key becomes hot
			if verdict, _ := e.account.Take(now, 1); verdict == account.Wait {
				e.account.Gone(1)
				break
			}
		}
		e.shard.mu.Unlock()
		var group sync.WaitGroup
		for i := range 5 { // the question of the first one is lost while the others wait
			group.Go(func() {
				time.Sleep(time.Duration(i) * 50 * time.Millisecond)
				began := time.Now()
				_, err := l.Ask(t.Context(), q)
				require.Error(t, err)
				require.Equal(t, 250*time.Millisecond, time.Since(began))
			})
		}
		group.Wait()
		for l.leases.ticks.Load() { // until the key is cold
			time.Sleep(time.Second)
		}
	})
}

// refusal is an error of a server.
type refusal string

func (r refusal) Error() string { return string(r) }

func (refusal) RedisError() {}

// refusingServer is a client whose server answers with an error.
type refusingServer struct {
	redis.UniversalClient
	refusal
}

func (s refusingServer) Process(_ context.Context, cmd redis.Cmder) error {
	cmd.SetErr(s.refusal)
	return s.refusal
}

// TestLeaseAfterAnError: the next question follows soon if the error of the server is one that passes.
func TestLeaseAfterAnError(t *testing.T) {
	for text, soon := range map[refusal]bool{
		"LOADING cellserver is loading": true, "READONLY a replica": true, "CLUSTERDOWN no leader": true,
		"NOPERM no right to cl.lease": false, "ERR the rule api cannot be leased": false,
	} {
		l, err := New(refusingServer{refusal: text}, Options{Lease: true, FailClosed: true, OnError: func(error) {}})
		require.NoError(t, err)
		now := account.Time{Boot: 1, Wall: 1}
		l.leases.clock = func() account.Time { return now }
		l.leases.ticks.Store(true) // nothing goes back
		e := l.leases.lock(Question{"api", "ann"})
		for verdict := account.Pass; verdict != account.Wait; { // the key becomes hot
			verdict, _ = e.account.Take(now, 1)
		}
		ask, ok := e.account.NextAsk(now)
		require.True(t, ok)
		e.shard.mu.Unlock()
		l.leases.send(e, ask)
		now = account.Time{Boot: 100_001, Wall: 100_001}
		_, ok = e.account.NextAsk(now)
		require.Equal(t, soon, ok, text)
	}
}

func TestLeaseOptions(t *testing.T) {
	rdb, err := Connect("redis://127.0.0.1:1")
	require.NoError(t, err)
	_, err = New(rdb, Options{Lease: true, Denials: -1})
	require.ErrorContains(t, err, "Lease remembers refusals")
	one, err := New(rdb, Options{Lease: true, Denials: 3})
	require.NoError(t, err)
	require.True(t, one.mayLease(1, []Question{{"a", ""}}))
	require.False(t, one.mayLease(0, []Question{{"a", ""}}))
	require.False(t, one.mayLease(1, []Question{{"a@org", ""}}))
	require.False(t, one.mayLease(1, []Question{{"a", ""}, {"b", ""}}))
	var last account.Time
	for range 1000 { // more accounts than the limiter remembers
		now := clock()
		require.GreaterOrEqual(t, now.Boot, last.Boot)
		last = now
		e := one.leases.lock(Question{"a", fmt.Sprint(now.Boot)})
		e.shard.mu.Unlock()
	}
	for i := range one.leases.shards {
		require.Equal(t, 1, one.leases.shards[i].rules.Len())
	}
}

// TestClock: the time of a suspended machine counts after a step of the wall clock.
func TestClock(t *testing.T) {
	before := clock()
	was := asleep.Load()
	t.Cleanup(func() { asleep.Store(was) })
	if boot, ok := bootTime(); ok {
		require.InDelta(t, boot, before.Boot, 1e6)
	}
	asleep.Store(was - 5_000_000) // as if the machine has slept for five seconds since
	require.Less(t, clock().Boot, before.Boot, "nobody looks")
	ahead.Add(-5_000_000)
	if _, ok := bootTime(); ok {
		require.GreaterOrEqual(t, clock().Boot, before.Boot-shortestNap)
	}
}

// BenchmarkLease decides about a hot key.
func BenchmarkLease(b *testing.B) {
	rdb, err := Connect("redis://127.0.0.1:1")
	require.NoError(b, err)
	l, err := New(rdb, Options{Lease: true})
	require.NoError(b, err)
	q := Question{"api", "ann"}
	e := l.leases.lock(q)
	e.limits, e.policy, e.fresh = []limit{{name: "api", most: 100}}, `"api";q=100;w=1`, 1<<62
	now := clock()
	e.account.Granted(now, account.Ask{Want: 1e9, TTL: 60_000, Departed: now}, account.Grant{Units: 1e9, Limit: 100, Ends: 60_000})
	e.shard.mu.Unlock()
	b.ReportAllocs()
	for b.Loop() {
		if d, _ := l.Ask(context.Background(), q); !d.Allowed || d.Limit == "" {
			b.Fatal(d)
		}
	}
}

func BenchmarkClock(b *testing.B) {
	for b.Loop() {
		clock()
	}
}

// TestAChangedRuleIsAskedSometimes: while a lease of the old numbers goes on, its decisions do not all ask the rule.
func TestAChangedRuleIsAskedSometimes(t *testing.T) {
	h := startHot(t, Options{})
	h.do("CL.RULE", "SET", "api", "CL.WINDOW", 100_000, 3600)
	q := Question{"api", "ann"}
	h.warm(q, 1000)
	h.do("CL.RULE", "SET", "api", "CL.WINDOW", 200_000, 3600)
	e := h.l.leases.lock(q)
	e.shard.mu.Unlock()
	h.l.leases.refresh(e) // it learns the new numbers
	before := h.questions()
	for range 500 {
		require.True(t, h.ask(q).Allowed)
	}
	h.settle()
	require.LessOrEqual(t, h.questions()-before, 2)
}
