package ratelimit

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"cellserver/clients/go/internal/testserver"

	"github.com/redis/go-redis/v9"
	"github.com/stretchr/testify/require"
)

// TestHotKey sends 1000 requests a second of a refused key for 10 seconds. The server gets one a second.
func TestHotKey(t *testing.T) {
	s := start(t)
	l, now := s.limiterAt(Options{})
	s.do("CL.RULE", "SET", "api", "CL.WINDOW", 1, 3600)
	h := l.Handler(page, fixed("api", "ann"))
	require.Equal(t, 200, visit(h).StatusCode)
	before := s.questions()
	for range 10_000 {
		reply := visit(h)
		require.Equal(t, 429, reply.StatusCode)
		require.Equal(t, "3600", reply.Header.Get("Retry-After"))
		*now = now.Add(time.Millisecond)
	}
	require.Equal(t, 10, s.questions()-before)
}

// TestRateStaysWhole shows that a remembered refusal ends when the limit allows the action, also within a second.
func TestRateStaysWhole(t *testing.T) {
	s := start(t)
	l, now := s.limiterAt(Options{})
	s.do("CL.RULE", "SET", "api", "CL.THROTTLE", 0, 10, 1)
	h := l.Handler(page, fixed("api", "ann"))
	allowed := 0
	for range 2000 {
		if visit(h).StatusCode == 200 {
			allowed++
		}
		*now = now.Add(time.Millisecond)
		s.do("DEBUG", "CLOCK", "ADVANCE", 1_000_000)
	}
	require.Equal(t, 20, allowed)
	require.LessOrEqual(t, s.questions(), 2*allowed)
}

// TestRuleChanges shows that a remembered refusal ends at most a second after its rule.
func TestRuleChanges(t *testing.T) {
	s := start(t)
	l, now := s.limiterAt(Options{})
	s.do("CL.RULE", "SET", "api", "CL.WINDOW", 1, 3600)
	h := l.Handler(page, fixed("api", "ann"))
	require.Equal(t, 200, visit(h).StatusCode)
	require.Equal(t, 429, visit(h).StatusCode)
	s.do("CL.RULE", "SET", "api", "CL.WINDOW", 5, 3600)
	*now = now.Add(longestDenial - 1)
	require.Equal(t, 429, visit(h).StatusCode)
	*now = now.Add(1)
	require.Equal(t, 200, visit(h).StatusCode)
	require.Equal(t, 200, visit(h).StatusCode)
}

// TestOneAsksAgain lets many requests meet the end of a remembered refusal: one of them asks the server.
func TestOneAsksAgain(t *testing.T) {
	s := start(t)
	l, now := s.limiterAt(Options{})
	s.do("CL.RULE", "SET", "api", "CL.WINDOW", 1, 3600)
	h := l.Handler(page, fixed("api", "ann"))
	visit(h)
	visit(h)
	*now = now.Add(longestDenial)
	before := s.questions()
	var all sync.WaitGroup
	for range 100 {
		all.Go(func() { visit(h) })
	}
	all.Wait()
	require.Equal(t, 1, s.questions()-before)
}

// TestDenialsAreBounded refuses more keys than the limiter remembers.
func TestDenialsAreBounded(t *testing.T) {
	s := start(t)
	l, _ := s.limiterAt(Options{Denials: 10})
	s.do("CL.RULE", "SET", "api", "CL.WINDOW", 1, 3600)
	for i := range 100 {
		h := l.Handler(page, fixed("api", fmt.Sprintf("user:%d", i)))
		visit(h)
		require.Equal(t, 429, visit(h).StatusCode)
	}
	require.Equal(t, 10, l.denials.byName.Len())
	before := s.questions()
	require.Equal(t, 429, visit(l.Handler(page, fixed("api", "user:99"))).StatusCode)
	require.Equal(t, before, s.questions())
	require.Equal(t, 429, visit(l.Handler(page, fixed("api", "user:0"))).StatusCode)
	require.Equal(t, before+1, s.questions())
}

// TestManyAtOnce shows that concurrent requests get exactly what the rule allows.
func TestManyAtOnce(t *testing.T) {
	s := start(t)
	s.do("CL.RULE", "SET", "api", "CL.THROTTLE", 99, 1, 3600)
	h := s.limiter(Options{}).Handler(page, fixed("api", "ann"))
	var allowed atomic.Int64
	var all sync.WaitGroup
	for range 20 {
		all.Go(func() {
			for range 50 {
				if visit(h).StatusCode == 200 {
					allowed.Add(1)
				}
			}
		})
	}
	all.Wait()
	require.EqualValues(t, 100, allowed.Load())
}

func TestLongAndBinaryKeys(t *testing.T) {
	s := start(t)
	s.do("CL.RULE", "SET", "api", "CL.WINDOW", 1, 3600)
	l := s.limiter(Options{Denials: -1})
	for _, key := range []string{strings.Repeat("x", 256), strings.Repeat("x", 257), strings.Repeat("y", 1<<20), "\xff\xfe\x00", strings.Repeat("\xff", 300)} {
		h := l.Handler(page, fixed("api", key))
		require.Equal(t, 200, visit(h).StatusCode)
		require.Equal(t, 429, visit(h).StatusCode)
	}
	require.EqualValues(t, 1, s.do("EXISTS", "api:{"+strings.Repeat("x", 256)+"}:window"))
	require.EqualValues(t, 1, s.do("EXISTS", "api:{sha256:15eb95a462ee20bd91a415ae2d4aed341288186ddaa2b37908f7d592f0c3f85f}:window"))
}

func TestAddress(t *testing.T) {
	for address, key := range map[string]string{
		"10.0.0.1:1234": "10.0.0.1", "[::ffff:10.0.0.1]:1": "10.0.0.1", "[2001:db8:1:2:3:4:5:6]:80": "2001:db8:1:2::/64",
		"[fe80::1%eth0]:80": "fe80::/64", "[::1]:80": "::/64", "@": "@", "": "",
	} {
		require.Equal(t, key, Network(address))
	}
}

// TestServerIsDown covers a server that is not there, and one that comes back.
func TestServerIsDown(t *testing.T) {
	s := start(t)
	s.do("CL.RULE", "SET", "api", "CL.WINDOW", 1, 3600)
	var failures int
	count := func(error) { failures++ }
	open, closed := s.limiter(Options{OnError: count}), s.limiter(Options{OnError: count, FailClosed: true})
	require.NoError(t, s.Process.Kill())
	_, _ = s.Process.Wait()
	require.Eventually(t, func() bool { return s.rdb.Ping(t.Context()).Err() != nil }, time.Minute, time.Millisecond)

	reply := visit(open.Handler(page, fixed("api", "ann")))
	require.Equal(t, 200, reply.StatusCode)
	require.Empty(t, reply.Header.Get("RateLimit"))
	requireUnavailable(t, visit(closed.Handler(page, fixed("api", "ann"))))
	require.Equal(t, 2, failures)
}

func requireUnavailable(t *testing.T, reply *http.Response) {
	t.Helper()
	require.Equal(t, 503, reply.StatusCode)
	require.Equal(t, "1", reply.Header.Get("Retry-After"))
	require.Equal(t, "application/problem+json", reply.Header.Get("Content-Type"))
}

// TestServerIsSlow stops the server without closing its connections. Requests wait for the time-out only.
func TestServerIsSlow(t *testing.T) {
	s := start(t)
	s.do("CL.RULE", "SET", "api", "CL.WINDOW", 1, 3600)
	var got atomic.Pointer[error]
	l := s.limiter(Options{Timeout: 50 * time.Millisecond, FailClosed: true, OnError: func(err error) { got.Store(&err) }})
	require.NoError(t, s.Process.Signal(syscall.SIGSTOP))
	var status syscall.WaitStatus // the signal acts a moment later
	_, err := syscall.Wait4(s.Process.Pid, &status, syscall.WUNTRACED, nil)
	require.NoError(t, err)
	require.True(t, status.Stopped())
	defer func() { _ = s.Process.Signal(syscall.SIGCONT) }()
	began := time.Now()
	var all sync.WaitGroup
	for range 100 {
		all.Go(func() { requireUnavailable(t, visit(l.Handler(page, fixed("api", "ann")))) })
	}
	all.Wait()
	var late net.Error
	require.ErrorAs(t, *got.Load(), &late)
	require.True(t, late.Timeout())
	require.Less(t, time.Since(began), 30*time.Second, "the client's own time-out is a minute")
}

// TestNoConnection meets a network that drops packets: the connection never comes about.
func TestNoConnection(t *testing.T) {
	s := start(t)
	rdb := s.client(func(o *redis.Options) {
		o.Dialer = func(ctx context.Context, _, _ string) (net.Conn, error) {
			<-ctx.Done()
			return nil, ctx.Err()
		}
	})
	l, err := New(rdb, Options{Timeout: 50 * time.Millisecond, FailClosed: true})
	require.NoError(t, err)
	began := time.Now()
	requireUnavailable(t, visit(l.Handler(page, fixed("api", "ann"))))
	require.Less(t, time.Since(began), 30*time.Second)
}

// TestErrorReplies covers replies that are errors, and replies of something else than rules.
func TestErrorReplies(t *testing.T) {
	s := start(t)
	var last error
	closed := s.limiter(Options{FailClosed: true, OnError: func(err error) { last = err }})
	requireUnavailable(t, visit(closed.Handler(page, fixed("unknown", "ann"))))
	require.ErrorContains(t, last, "no such rule")
	s.do("CL.RULE", "SET", "api", "CL.WINDOW", 1, 3600)
	s.do("ZADD", "api:{ann}:window", 1, "member")
	requireUnavailable(t, visit(closed.Handler(page, fixed("api", "ann"))))
	require.ErrorContains(t, last, "WRONGTYPE")

	for _, reply := range [][]any{nil, {"x"}, {int64(1), int64(0), []any{int64(1)}}, {int64(1), int64(0), []any{int64(1), int64(1), int64(1), int64(1), int64(1), "", "", []any{[]any{}}, int64(0)}}} {
		_, _, err := readDecision(reply, []any{"api", "ann"})
		require.ErrorIs(t, err, errReply)
	}
}

// TestRefusalThatNeverEnds reads a reply that a quantity of 1 cannot cause today.
func TestRefusalThatNeverEnds(t *testing.T) {
	limit := []any{"", "CL.WINDOW 5 60", int64(1), int64(5), int64(5), int64(-1), int64(0), int64(-1), "rule"}
	rule := []any{int64(1), int64(5), int64(5), int64(-1), int64(0), "", "CL.WINDOW 5 60", []any{limit}, int64(0)}
	d, _, err := readDecision([]any{int64(1), int64(0), rule}, []any{"api", "ann"})
	require.NoError(t, err)
	_, ok := d.RetrySeconds()
	require.False(t, ok)
	require.Equal(t, `"api";q=5`, d.Policy)
	require.Equal(t, `"api";r=5;t=0`, d.Limit)
}

// TestClientLeaves shows that a client cannot act without being counted by leaving early.
func TestClientLeaves(t *testing.T) {
	s := start(t)
	s.do("CL.RULE", "SET", "api", "CL.WINDOW", 1, 3600)
	l := s.limiter(Options{})
	gone, leave := context.WithCancel(t.Context())
	leave()
	d, err := l.Ask(gone, Question{"api", "ann"})
	require.NoError(t, err)
	require.True(t, d.Allowed)
	d, err = l.Ask(gone, Question{"api", "ann"})
	require.NoError(t, err)
	require.False(t, d.Allowed)
}

// TestCluster asks over a client of a cluster.
func TestCluster(t *testing.T) {
	s := testserver.Start(t, "--cluster-enabled", "yes")
	rdb := redis.NewClusterClient(&redis.ClusterOptions{Addrs: []string{strings.TrimPrefix(s.URL, "redis://")}, ContextTimeoutEnabled: true})
	defer rdb.Close()
	require.NoError(t, rdb.Do(t.Context(), "CL.RULE", "SET", "api", "CL.WINDOW", 1, 3600).Err())
	l, err := New(rdb, Options{Timeout: time.Minute, FailClosed: true})
	require.NoError(t, err)
	h := l.Handler(page, fixed("api", "ann"), fixed("api", "{ann}x"))
	require.Equal(t, 200, visit(h).StatusCode)
	require.Equal(t, 429, visit(h).StatusCode)
}

// TestConnect refuses a wrong URL, and shows no password.
func TestConnect(t *testing.T) {
	for url, want := range map[string]string{
		"http://:secret@127.0.0.1":    "ratelimit: redis: invalid URL scheme: http",
		"redis://:secret@host:x":      "ratelimit: this is no URL",
		"redis://:secret/2@host:6379": "ratelimit: this is no URL",
		"redis://:secret%zz@host":     "ratelimit: this is no URL",
		"redis://:1/secret@host:6379": "ratelimit: this is no URL",
		"redis://:1?secret@host:6379": "ratelimit: this is no URL",
		"redis://:1@2/secret@host":    "ratelimit: this is no URL",
		"redis://:secret@host/x":      "ratelimit: redis: invalid database number: \"x\"",
	} {
		_, err := Connect(url)
		require.ErrorContains(t, err, want)
		require.NotContains(t, err.Error(), "secret")
	}
}

func TestClientMustKeepTheTimeout(t *testing.T) {
	for _, rdb := range []redis.UniversalClient{
		redis.NewClient(&redis.Options{}), redis.NewClusterClient(&redis.ClusterOptions{}), redis.NewRing(&redis.RingOptions{}),
	} {
		_, err := New(rdb, Options{})
		require.True(t, errors.Is(err, errTimeout))
		require.NoError(t, rdb.Close())
	}
}

// limiterAt returns a limiter with a clock that the test moves.
func (s *server) limiterAt(o Options) (*Limiter, *time.Time) {
	s.t.Helper()
	l, now := s.limiter(o), time.Now()
	l.now = func() time.Time { return now }
	return l, &now
}
