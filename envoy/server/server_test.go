package server

import (
	"bufio"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	common "github.com/envoyproxy/go-control-plane/envoy/extensions/common/ratelimit/v3"
	ratelimit "github.com/envoyproxy/go-control-plane/envoy/service/ratelimit/v3"
	"github.com/stretchr/testify/require"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/connectivity"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/credentials/insecure"
	healthpb "google.golang.org/grpc/health/grpc_health_v1"
	reflectionpb "google.golang.org/grpc/reflection/grpc_reflection_v1"
	"google.golang.org/grpc/status"

	"cellserver/envoy/config"
	"cellserver/envoy/count/counttest"
	"cellserver/envoy/service"
	"cellserver/envoy/stats"
)

const rules = `
domain: shop
descriptors:
  - {key: a, rate_limit: {unit: minute, requests_per_unit: 3}}
  - {key: wide, rate_limit: {unit: minute, requests_per_unit: 1000}}
`

// A harness is a server on free ports, over a store of the test.
type harness struct {
	*Server
	store   *counttest.Store
	service *service.Service
	health  *Health
	stop    func() error
	logged  lockedBuffer
}

// Address returns the address of a listener: of gRPC, HTTP, debugging and Prometheus, in this order.
func (h *harness) Address(i int) string { return h.listeners[i].Addr().String() }

func start(t *testing.T, change func(*Options)) *harness {
	t.Helper()
	h := &harness{store: counttest.New()}
	registry := stats.NewRegistry()
	h.service = service.New(h.store, registry, service.Options{})
	h.health = NewHealth(h.store.Ready, false, func() bool { return true })
	file, err := config.Parse("config.a.yaml", []byte(rules))
	require.NoError(t, err)
	set, err := config.Build([]config.File{file}, false)
	require.NoError(t, err)
	h.service.Use(set)
	o := Options{
		Addresses: Addresses{GRPC: "127.0.0.1:0", HTTP: "127.0.0.1:0", Debug: "127.0.0.1:0"},
		Service:   h.service, Rules: h.service.Rules, Health: h.health, Requests: &registry.Requests, Now: time.Now,
		Log: slog.New(slog.NewTextHandler(&h.logged, nil)),
	}
	if change != nil {
		change(&o)
	}
	h.Server, err = Listen(o)
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- h.Serve(ctx) }()
	h.stop = sync.OnceValue(func() error { cancel(); return <-done })
	t.Cleanup(func() { require.NoError(t, h.stop()) })
	return h
}

// dial connects to the gRPC server.
func (h *harness) dial(t *testing.T, options ...grpc.DialOption) *grpc.ClientConn {
	t.Helper()
	address := h.Address(0)
	if h.options.Addresses.UnixSocket != "" {
		address = "unix:" + address
	}
	if len(options) == 0 {
		options = []grpc.DialOption{grpc.WithTransportCredentials(insecure.NewCredentials())}
	}
	c, err := grpc.NewClient(address, options...)
	require.NoError(t, err)
	t.Cleanup(func() { c.Close() })
	return c
}

func request(key, value string) *ratelimit.RateLimitRequest {
	return &ratelimit.RateLimitRequest{Domain: "shop", Descriptors: []*common.RateLimitDescriptor{
		{Entries: []*common.RateLimitDescriptor_Entry{{Key: key, Value: value}}},
	}}
}

func (h *harness) get(t *testing.T, listener int, path string) (int, string) {
	t.Helper()
	r, err := http.Get("http://" + h.Address(listener) + path)
	require.NoError(t, err)
	defer r.Body.Close()
	body, err := io.ReadAll(r.Body)
	require.NoError(t, err)
	return r.StatusCode, string(body)
}

func (h *harness) post(t *testing.T, body string) (int, string) {
	t.Helper()
	r, err := http.Post("http://"+h.Address(1)+"/json", "application/json", strings.NewReader(body))
	require.NoError(t, err)
	defer r.Body.Close()
	text, err := io.ReadAll(r.Body)
	require.NoError(t, err)
	return r.StatusCode, strings.ReplaceAll(string(text), " ", "")
}

func TestRequestsOverGRPC(t *testing.T) {
	h := start(t, nil)
	client := ratelimit.NewRateLimitServiceClient(h.dial(t))
	for i, want := range []ratelimit.RateLimitResponse_Code{1, 1, 1, 2} {
		r, err := client.ShouldRateLimit(context.Background(), request("a", "1"))
		require.NoError(t, err)
		require.Equal(t, want, r.GetOverallCode(), i)
	}
	_, err := client.ShouldRateLimit(context.Background(), &ratelimit.RateLimitRequest{})
	require.Equal(t, codes.Unknown, status.Code(err))
	require.Equal(t, "rate limit domain must not be empty", status.Convert(err).Message())
}

func TestRequestsInJSON(t *testing.T) {
	h := start(t, nil)
	body := `{"domain":"shop","descriptors":[{"entries":[{"key":"a","value":"1"}],"hitsAddend":"2"}]}`
	code, text := h.post(t, body)
	require.Equal(t, 200, code)
	require.Equal(t, `{"overallCode":"OK","statuses":[{"code":"OK","currentLimit":{"requestsPerUnit":3,"unit":"MINUTE"},`+
		`"limitRemaining":1,"durationUntilReset":"20s"}]}`, text)
	code, text = h.post(t, strings.Replace(body, "hitsAddend", "hits_addend", 1))
	require.Equal(t, 429, code)
	require.Contains(t, text, `"overallCode":"OVER_LIMIT"`)
	for _, bad := range []string{"", "{", `{"domain":""}`, `{"domain":"shop","unknown":1}`, `{"domain":"` + strings.Repeat("x", maxMessage) + `"}`} {
		code, text := h.post(t, bad)
		require.Equal(t, 400, code)
		require.Equal(t, "BadRequest\n", text)
	}
}

func TestHealth(t *testing.T) {
	h := start(t, nil)
	client := healthpb.NewHealthClient(h.dial(t))
	check := func(name string) string {
		r, err := client.Check(context.Background(), &healthpb.HealthCheckRequest{Service: name})
		require.NoError(t, err)
		return r.GetStatus().String()
	}
	code, text := h.get(t, 1, "/healthcheck")
	require.Equal(t, 200, code)
	require.Equal(t, "OK", text)
	require.Equal(t, "SERVING", check("ratelimit"))

	h.store.Fail(errors.New("away"))
	code, _ = h.get(t, 1, "/healthcheck")
	require.Equal(t, 200, code, "the store was ready once")
	h.health.always = true
	code, text = h.get(t, 1, "/healthcheck")
	require.Equal(t, 500, code)
	require.Empty(t, text)
	require.Equal(t, "NOT_SERVING", check("ratelimit"))
	require.Equal(t, "SERVING", check(""))
}

// The owner of the service reads it in the log, once.
func TestTheLogSaysThatTheStoreIsAway(t *testing.T) {
	h := start(t, nil)
	h.store.Fail(errors.New("connection refused"))
	said := "level=ERROR msg=\"the store does not answer, requests are errors or what on_failure says: connection refused\""
	require.Eventually(t, func() bool { return strings.Contains(h.logged.String(), said) }, time.Minute, 10*time.Millisecond)
	h.store.Fail(nil)
	require.Eventually(t, func() bool { return strings.Contains(h.logged.String(), "the store answers again") },
		time.Minute, 10*time.Millisecond)
	require.Equal(t, 1, strings.Count(h.logged.String(), said))
}

// A lockedBuffer may be read while it is written.
type lockedBuffer struct {
	mu sync.Mutex // guards text
	b  strings.Builder
}

func (l *lockedBuffer) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *lockedBuffer) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

func TestHealthNeedsRulesIfAsked(t *testing.T) {
	var loaded atomic.Bool
	h := NewHealth(func() error { return nil }, false, loaded.Load)
	require.False(t, h.ok())
	loaded.Store(true)
	require.True(t, h.ok())
	h.stop()
	require.False(t, h.ok())
}

func TestReflectionNamesTheService(t *testing.T) {
	h := start(t, nil)
	stream, err := reflectionpb.NewServerReflectionClient(h.dial(t)).ServerReflectionInfo(context.Background())
	require.NoError(t, err)
	require.NoError(t, stream.Send(&reflectionpb.ServerReflectionRequest{
		MessageRequest: &reflectionpb.ServerReflectionRequest_ListServices{},
	}))
	r, err := stream.Recv()
	require.NoError(t, err)
	require.Contains(t, fmt.Sprint(r), "envoy.service.ratelimit.v3.RateLimitService")
}

func TestDebugPaths(t *testing.T) {
	h := start(t, nil)
	code, text := h.get(t, 2, "/rlconfig")
	require.Equal(t, 200, code)
	require.Contains(t, text, "shop.a: unit=MINUTE requests_per_unit=3, shadow_mode: false, quota_mode: false\n")
	for _, path := range []string{"/", "/stats", "/debug/pprof/", "/debug/pprof/cmdline"} {
		code, text := h.get(t, 2, path)
		require.Equal(t, 200, code, path)
		require.NotEmpty(t, text)
	}
	_, text = h.get(t, 2, "/")
	require.Contains(t, text, "/rlconfig: ")
	code, _ = h.get(t, 2, "/other")
	require.Equal(t, 404, code)
}

func TestUnixSocketThatADeadProcessLeft(t *testing.T) {
	path := filepath.Join(t.TempDir(), "socket")
	l, err := net.Listen("unix", path)
	require.NoError(t, err)
	l.(*net.UnixListener).SetUnlinkOnClose(false)
	require.NoError(t, l.Close())
	h := start(t, func(o *Options) { o.Addresses.UnixSocket = path })
	_, err = ratelimit.NewRateLimitServiceClient(h.dial(t)).ShouldRateLimit(context.Background(), request("a", "1"))
	require.NoError(t, err)
	_, err = Listen(Options{Addresses: h.options.Addresses, Service: h.service, Health: h.health})
	require.ErrorContains(t, err, "address already in use", "the socket of a living process stays")
}

// A connection gets a GOAWAY when it is old, so that the clients spread over new copies.
func TestAnOldConnectionIsSentAway(t *testing.T) {
	h := start(t, func(o *Options) { o.GRPC.MaxAge = 50 * time.Millisecond })
	connection := h.dial(t)
	client := ratelimit.NewRateLimitServiceClient(connection)
	_, err := client.ShouldRateLimit(context.Background(), request("wide", "1"))
	require.NoError(t, err)
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	for state := connection.GetState(); state != connectivity.Idle; state = connection.GetState() { // it may be so already
		require.True(t, connection.WaitForStateChange(ctx, state))
	}
	_, err = client.ShouldRateLimit(context.Background(), request("wide", "1"), grpc.WaitForReady(true))
	require.NoError(t, err, "the client connects again")
}

func TestAServerThatStopsLetsRequestsEnd(t *testing.T) {
	h := start(t, nil)
	client := ratelimit.NewRateLimitServiceClient(h.dial(t))
	var wg sync.WaitGroup
	var answered atomic.Int64
	for range 50 {
		wg.Go(func() {
			if _, err := client.ShouldRateLimit(context.Background(), request("wide", "1")); err == nil {
				answered.Add(1)
			}
		})
	}
	wg.Wait()
	require.NoError(t, h.stop())
	require.EqualValues(t, 50, answered.Load())
	require.False(t, h.health.ok())
}

// A request over gRPC that takes long does not take the time that requests over HTTP have to end.
func TestRequestsOverGRPCDoNotHoldHTTP(t *testing.T) {
	asked, answer := make(chan bool), make(chan bool)
	h := start(t, func(o *Options) { o.Service = serviceFunc(func() { asked <- true; <-answer }) })
	client, answered := ratelimit.NewRateLimitServiceClient(h.dial(t)), make(chan error)
	go func() {
		_, err := client.ShouldRateLimit(context.Background(), request("a", "1"))
		answered <- err
	}()
	<-asked
	idle, err := net.Dial("tcp", h.Address(1))
	require.NoError(t, err)
	defer idle.Close()
	_, err = idle.Write([]byte("GET /healthcheck HTTP/1.1\r\nHost: a\r\n\r\n"))
	require.NoError(t, err)
	in := bufio.NewReader(idle)
	r, err := http.ReadResponse(in, nil)
	require.NoError(t, err)
	_, err = io.Copy(io.Discard, r.Body)
	require.NoError(t, err)
	go h.stop()
	_, err = in.ReadByte()
	require.Equal(t, io.EOF, err, "the end of a connection without a request")
	answer <- true
	require.NoError(t, <-answered, "the request goes on")
	require.NoError(t, h.stop())
}

// Of 64 clients at once exactly the limit passes, with a reload in between.
func TestExactlyTheLimitPasses(t *testing.T) {
	h := start(t, nil)
	var passed atomic.Int64
	var wg sync.WaitGroup
	for range 64 {
		client := ratelimit.NewRateLimitServiceClient(h.dial(t))
		wg.Go(func() {
			for range 30 {
				r, err := client.ShouldRateLimit(context.Background(), request("wide", "x"))
				if err == nil && r.GetOverallCode() == ratelimit.RateLimitResponse_OK {
					passed.Add(1)
				}
			}
		})
	}
	h.service.Use(h.service.Rules())
	wg.Wait()
	require.EqualValues(t, 1000, passed.Load())
}

// Streams that never end their request must cost little, and must not slow down others.
func TestSlowStreamsCostLittle(t *testing.T) {
	h := start(t, nil)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	desc := &grpc.StreamDesc{ClientStreams: true}
	for range 20 {
		connection := h.dial(t)
		for range maxStreams { // one more would wait
			ctx, cancel := context.WithCancel(context.Background())
			t.Cleanup(cancel)
			_, err := connection.NewStream(ctx, desc, ratelimit.RateLimitService_ShouldRateLimit_FullMethodName)
			require.NoError(t, err)
		}
	}
	client := ratelimit.NewRateLimitServiceClient(h.dial(t))
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	_, err := client.ShouldRateLimit(ctx, request("wide", "1"))
	require.NoError(t, err)
	huge := request("wide", strings.Repeat("x", maxMessage))
	_, err = client.ShouldRateLimit(ctx, huge)
	require.Equal(t, codes.ResourceExhausted, status.Code(err))
	runtime.ReadMemStats(&after)
	require.Less(t, int64(after.HeapAlloc)-int64(before.HeapAlloc), int64(64<<20))
}

// Headers of Envoy have up to 60 KB. A client must not escape its limit by a long one.
func TestLongHeadersInManyDescriptorsAreCounted(t *testing.T) {
	h := start(t, nil)
	client, long := ratelimit.NewRateLimitServiceClient(h.dial(t)), request("wide", strings.Repeat("x", 60<<10))
	for range 15 {
		long.Descriptors = append(long.Descriptors, long.GetDescriptors()[0])
	}
	response, err := client.ShouldRateLimit(t.Context(), long)
	require.NoError(t, err)
	require.Len(t, response.GetStatuses(), 16)
}

func TestTLSWithClientCertificates(t *testing.T) {
	pair := newPair(t)
	h := start(t, func(o *Options) { o.GRPC.TLS = pair.server(t, true) })
	call := func(c *tls.Config) error {
		client := ratelimit.NewRateLimitServiceClient(h.dial(t, grpc.WithTransportCredentials(credentials.NewTLS(c))))
		ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
		defer cancel()
		_, err := client.ShouldRateLimit(ctx, request("wide", "1"))
		return err
	}
	require.NoError(t, call(pair.client(t, true)))
	require.Error(t, call(pair.client(t, false)), "a client without a certificate")
	pair.renew(t)
	require.NoError(t, call(pair.client(t, true)), "the certificates are read again")
}
