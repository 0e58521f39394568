package adaptive

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"cellserver/clients/go/internal/testserver"
	"cellserver/clients/go/ratelimit"

	"github.com/redis/go-redis/v9"
	"github.com/stretchr/testify/require"
)

// connect returns a client that a loaded machine does not make late.
func connect(t *testing.T, url string) *redis.Client {
	options, err := redis.ParseURL(url)
	require.NoError(t, err)
	options.ContextTimeoutEnabled, options.MaxRetries = true, -1
	rdb := redis.NewClient(options)
	t.Cleanup(func() { _ = rdb.Close() })
	return rdb
}

// newLimit returns a limit of a new server.
func newLimit(t *testing.T, words ...any) (*Limit, *redis.Client) {
	rdb := connect(t, testserver.Start(t).URL)
	l, err := New(rdb, "service", Options{Timeout: time.Minute, Words: words})
	require.NoError(t, err)
	return l, rdb
}

// state returns what CL.LIMIT shows.
func state(t *testing.T, rdb *redis.Client) map[any]any {
	reply, err := rdb.Do(context.Background(), "CL.LIMIT", "service").Result()
	require.NoError(t, err)
	return reply.(map[any]any)
}

// TestTransport calls a slow service: its calls are refused at the limit, and the limit changes by their latencies.
func TestTransport(t *testing.T) {
	l, rdb := newLimit(t, "START", 4, "WINDOW", 0, "BETWEEN", 1, 8)
	var most, now atomic.Int64
	slow := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		n := now.Add(1)
		defer now.Add(-1)
		for m := most.Load(); n > m && !most.CompareAndSwap(m, n); m = most.Load() {
		}
		time.Sleep(20 * time.Millisecond) // the service is slow
		_, _ = io.WriteString(w, "done")
	}))
	defer slow.Close()
	client := &http.Client{Transport: l.Transport(nil)}
	var wait sync.WaitGroup
	var answered, full atomic.Int64
	for range 40 {
		wait.Go(func() {
			for range 5 {
				response, err := client.Get(slow.URL)
				if errors.Is(err, ErrFull) {
					full.Add(1)
					continue
				}
				require.NoError(t, err)
				_, err = io.ReadAll(response.Body)
				require.NoError(t, err)
				require.NoError(t, response.Body.Close())
				answered.Add(1)
			}
		})
	}
	wait.Wait()
	require.LessOrEqual(t, most.Load(), int64(8))
	require.Positive(t, answered.Load())
	require.Positive(t, full.Load())
	s := state(t, rdb)
	require.EqualValues(t, 0, s["inflight"])
	require.GreaterOrEqual(t, s["base_us"], int64(20_000))
}

// deadline is a context whose deadline is over when the test says so.
type deadline struct {
	context.Context
	over chan struct{}
}

func (d deadline) Done() <-chan struct{} { return d.over }

func (d deadline) Err() error {
	select {
	case <-d.over:
		return context.DeadlineExceeded
	default:
		return nil
	}
}

// TestTransportOutcomes: a timeout and an overloaded service are drops, and errors of the caller are ignored.
func TestTransportOutcomes(t *testing.T) {
	hold, over := make(chan struct{}), make(chan struct{})
	service := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/late":
			close(over)
			<-hold
		case "/full":
			w.WriteHeader(503)
		case "/wrong":
			w.WriteHeader(404)
		}
	}))
	defer service.Close()
	defer close(hold)
	for path, want := range map[string]int64{"/late": 18, "/full": 18, "/wrong": 20, "/": 20} {
		l, rdb := newLimit(t, "AIMD", 100, "WINDOW", 0)
		ctx := t.Context()
		if path == "/late" {
			ctx = deadline{ctx, over}
		}
		request, err := http.NewRequestWithContext(ctx, "POST", service.URL+path, strings.NewReader("x"))
		require.NoError(t, err)
		response, err := (&http.Client{Transport: l.Transport(nil)}).Do(request)
		if err == nil {
			require.NoError(t, response.Body.Close())
		}
		require.Equal(t, path == "/late", err != nil)
		s := state(t, rdb)
		require.Equal(t, want, s["limit"], path)
		require.EqualValues(t, 0, s["inflight"], path)
	}
}

// TestHandler refuses with 503 at the limit, and frees the permit also after a panic.
func TestHandler(t *testing.T) {
	l, rdb := newLimit(t, "START", 1, "BETWEEN", 1, 1)
	entered, leave := make(chan struct{}), make(chan struct{})
	service := httptest.NewServer(l.Handler(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/panics" {
			panic(http.ErrAbortHandler)
		}
		close(entered)
		<-leave
	})))
	defer service.Close()
	_, err := http.Get(service.URL + "/panics")
	require.Error(t, err)
	require.Eventually(t, func() bool { return state(t, rdb)["inflight"] == int64(0) }, time.Minute, time.Millisecond)
	done := make(chan int)
	go func() {
		response, err := http.Get(service.URL)
		if err != nil {
			done <- 0
			return
		}
		_ = response.Body.Close()
		done <- response.StatusCode
	}()
	<-entered
	response, err := http.Get(service.URL)
	require.NoError(t, err)
	require.NoError(t, response.Body.Close())
	require.Equal(t, 503, response.StatusCode)
	close(leave)
	require.Equal(t, 200, <-done)
}

// TestServerIsAway: calls begin up to the local ceiling, and the limiter says why.
func TestServerIsAway(t *testing.T) {
	server := testserver.Start(t)
	var errs atomic.Int64
	l, err := New(connect(t, server.URL), "service", Options{Timeout: time.Minute, Ceiling: 2, OnError: func(error) { errs.Add(1) }})
	require.NoError(t, err)
	first, err := l.Enter(t.Context())
	require.NoError(t, err)
	require.NoError(t, server.Process.Kill())
	_, _ = server.Process.Wait()
	var calls []*Call
	for range 2 {
		call, err := l.Enter(t.Context())
		require.NoError(t, err)
		calls = append(calls, call)
	}
	_, err = l.Enter(t.Context())
	require.ErrorIs(t, err, ErrFull)
	require.EqualValues(t, 3, errs.Load())
	for range 2 { // a second Leave does nothing
		calls[0].Leave(OK)
	}
	_, err = l.Enter(t.Context())
	require.NoError(t, err)
	_, err = l.Enter(t.Context())
	require.ErrorIs(t, err, ErrFull)
	first.Leave(OK)
	require.EqualValues(t, 6, errs.Load())
}

// lossy is a connection whose answers may get lost.
type lossy struct {
	net.Conn
	loses *atomic.Bool
}

func (c lossy) Read(p []byte) (int, error) {
	n, err := c.Conn.Read(p)
	if c.loses.Load() {
		return 0, net.ErrClosed
	}
	return n, err
}

// TestLateReports: a permit whose answer is lost, and one whose report is, are free as soon as the server answers again.
func TestLateReports(t *testing.T) {
	server := testserver.Start(t)
	options, err := redis.ParseURL(server.URL)
	require.NoError(t, err)
	var loses atomic.Bool
	options.ContextTimeoutEnabled, options.MaxRetries = true, -1
	options.Dialer = func(ctx context.Context, network, address string) (net.Conn, error) {
		c, err := (&net.Dialer{}).DialContext(ctx, network, address)
		return lossy{c, &loses}, err
	}
	rdb, other := redis.NewClient(options), connect(t, server.URL)
	defer rdb.Close()
	l, err := New(rdb, "service", Options{Timeout: time.Minute, Ceiling: 1, OnError: func(error) {}})
	require.NoError(t, err)
	enter := func() *Call {
		call, err := l.Enter(t.Context())
		require.NoError(t, err)
		return call
	}
	first, outlived := enter(), enter()
	loses.Store(true)
	unknown := enter() // the server has counted it
	require.Eventually(t, func() bool { return state(t, other)["inflight"] == int64(3) }, time.Minute, time.Millisecond)
	_, err = l.Enter(t.Context())
	require.ErrorIs(t, err, ErrFull)
	first.Leave(OK)
	unknown.Leave(OK)
	outlived.began = time.Now().Add(-2 * time.Minute)
	outlived.Leave(OK)
	loses.Store(false)
	last := enter()
	require.EqualValues(t, 2, state(t, other)["inflight"], "that of a lease that must have ended is not reported")
	last.Leave(OK)
	require.EqualValues(t, 3, state(t, other)["samples"])

	loses.Store(true)
	for range mostLate {
		(&Call{limit: l, holder: "h", local: true, began: time.Now()}).Leave(OK)
	}
	require.Len(t, l.late, mostLate/2)
	for range mostLate {
		l.keepLate(end{until: time.Now()})
	}
	require.Len(t, l.late, mostLate)
}

// TestNew refuses wrong options.
func TestNew(t *testing.T) {
	rdb, err := ratelimit.Connect("redis://127.0.0.1:1")
	require.NoError(t, err)
	for _, o := range []Options{{Lease: -1}, {Timeout: -1}, {Ceiling: -1}} {
		_, err = New(rdb, "k", o)
		require.Error(t, err)
	}
	_, err = New(nil, "k", Options{})
	require.Error(t, err)
	_, err = New(rdb, "", Options{})
	require.Error(t, err)
}

// slowServer is a client whose server takes 200 ms for a call, and never answers its reports of late ends.
type slowServer struct {
	redis.UniversalClient
	reports redis.Pipeliner
}

func (slowServer) Process(_ context.Context, cmd redis.Cmder) error {
	time.Sleep(200 * time.Millisecond)
	cmd.(*redis.IntSliceCmd).SetVal([]int64{0})
	return nil
}

func (s slowServer) Pipeline() redis.Pipeliner { return s.reports }

// silentPipeline has reports without an answer.
type silentPipeline struct {
	redis.Pipeliner
	sent *redis.Cmd
}

func (p *silentPipeline) Do(ctx context.Context, words ...any) *redis.Cmd {
	p.sent = redis.NewCmd(ctx, words...)
	return p.sent
}

func (p *silentPipeline) Exec(ctx context.Context) ([]redis.Cmder, error) {
	<-ctx.Done()
	p.sent.SetErr(ctx.Err())
	return nil, ctx.Err()
}

// TestEnterKeepsTheTimeout: a call that also reports late ends has one time-out for both.
func TestEnterKeepsTheTimeout(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l, err := New(slowServer{reports: &silentPipeline{}}, "k", Options{})
		require.NoError(t, err)
		l.keepLate(end{[]any{"CL.LEAVE"}, time.Now().Add(time.Minute)})
		began := time.Now()
		_, err = l.Enter(t.Context())
		require.NoError(t, err)
		require.Equal(t, 250*time.Millisecond, time.Since(began))
		require.Len(t, l.late, 1, "it is reported again")
	})
}
