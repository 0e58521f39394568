package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	common "github.com/envoyproxy/go-control-plane/envoy/extensions/common/ratelimit/v3"
	ratelimit "github.com/envoyproxy/go-control-plane/envoy/service/ratelimit/v3"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/stretchr/testify/require"
	collector "go.opentelemetry.io/proto/otlp/collector/trace/v1"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/metadata"
	"google.golang.org/protobuf/proto"

	"cellserver/envoy/count"
	"cellserver/envoy/settings"
	"cellserver/envoy/stats"
	"cellserver/internal/porttest"
)

// A program is one that runs in this process.
type program struct {
	grpc, http, debug, metrics string // addresses
	root                       string // of the rules
	logged                     *lockedBuffer
	stop                       func() int // returns its status
}

// A lockedBuffer may be read while it is written.
type lockedBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
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

const rules = `
domain: shop
descriptors:
  - {key: user, rate_limit: {name: user, unit: year, requests_per_unit: 3}}
`

// start runs the program with the variables of Istio's sample, and with more.
func start(t *testing.T, more map[string]string) *program {
	t.Helper()
	ports := freePorts(t, 4)
	address := func(i int) string { return fmt.Sprintf("127.0.0.1:%d", ports[i]) }
	p := &program{
		grpc: address(0), http: address(1), debug: address(2), metrics: address(3), root: t.TempDir(),
		logged: &lockedBuffer{},
	}
	variables := map[string]string{
		"LOG_LEVEL": "info", "USE_STATSD": "false", "USE_PROMETHEUS": "true", "PROMETHEUS_ADDR": p.metrics,
		"RUNTIME_ROOT": p.root, "RUNTIME_SUBDIRECTORY": "ratelimit", "RUNTIME_WATCH_ROOT": "false",
		"RUNTIME_IGNOREDOTFILES": "true", "HOST": "127.0.0.1", "GRPC_HOST": "127.0.0.1", "DEBUG_HOST": "127.0.0.1",
		"GRPC_PORT": fmt.Sprint(ports[0]), "PORT": fmt.Sprint(ports[1]), "DEBUG_PORT": fmt.Sprint(ports[2]),
	}
	for name, value := range more {
		variables[name] = value
	}
	p.write(t, rules)
	ctx, cancel := context.WithCancel(context.Background())
	status := make(chan int, 1)
	go func() {
		lookup := func(name string) string { return variables[name] }
		status <- call(ctx, []string{"ratelimit"}, lookup, io.Discard, p.logged)
	}()
	p.stop = sync.OnceValue(func() int { cancel(); return <-status })
	t.Cleanup(func() { p.stop() })
	require.Eventually(t, func() bool {
		r, err := http.Get("http://" + p.http + "/healthcheck")
		if err != nil {
			return false
		}
		defer r.Body.Close()
		return r.StatusCode == 200
	}, time.Minute, 10*time.Millisecond, "%s", p.logged)
	return p
}

// write writes the file of the rules.
func (p *program) write(t *testing.T, text string) {
	t.Helper()
	folder := filepath.Join(p.root, "ratelimit", "config")
	require.NoError(t, os.MkdirAll(folder, 0o755))
	require.NoError(t, os.WriteFile(filepath.Join(folder, "a.yaml"), []byte(text), 0o644))
}

func (p *program) get(t *testing.T, address, path string) string {
	t.Helper()
	r, err := http.Get("http://" + address + path)
	require.NoError(t, err)
	defer r.Body.Close()
	body, err := io.ReadAll(r.Body)
	require.NoError(t, err)
	return string(body)
}

// ask makes a request over gRPC.
func (p *program) ask(t *testing.T, ctx context.Context) *ratelimit.RateLimitResponse {
	t.Helper()
	c, err := grpc.NewClient(p.grpc, grpc.WithTransportCredentials(insecure.NewCredentials()))
	require.NoError(t, err)
	defer c.Close()
	r, err := ratelimit.NewRateLimitServiceClient(c).ShouldRateLimit(ctx, &ratelimit.RateLimitRequest{
		Domain: "shop", Descriptors: []*common.RateLimitDescriptor{
			{Entries: []*common.RateLimitDescriptor_Entry{{Key: "user", Value: "bob"}}},
		},
	})
	require.NoError(t, err)
	return r
}

// The sample of a gateway with only the image changed, and no other process.
func TestTheProgramCountsAlone(t *testing.T) {
	p := start(t, nil)
	require.Eventually(t, func() bool { return strings.Contains(p.get(t, p.debug, "/rlconfig"), "shop.user: ") },
		time.Minute, 5*time.Millisecond)
	for i, want := range []string{"OK", "OK", "OK", "OVER_LIMIT"} {
		r := p.ask(t, context.Background())
		require.Equal(t, want, r.GetOverallCode().String())
		require.EqualValues(t, max(0, 2-i), r.GetStatuses()[0].GetLimitRemaining())
		seconds := r.GetStatuses()[0].GetDurationUntilReset().GetSeconds()
		require.True(t, seconds >= 1 && seconds <= 366*24*3600)
	}
	r, err := http.Post("http://"+p.http+"/json", "", strings.NewReader(
		`{"domain":"shop","descriptors":[{"entries":[{"key":"user","value":"bob"}]}]}`))
	require.NoError(t, err)
	require.NoError(t, r.Body.Close())
	require.Equal(t, 429, r.StatusCode)
	metrics := p.get(t, p.metrics, "/metrics")
	require.Contains(t, metrics, `ratelimit_service_rate_limit_total_hits{domain="shop",key1="user"} 5`)
	require.Contains(t, metrics, `ratelimit_service_rate_limit_over_limit{domain="shop",key1="user"} 2`)
	require.Contains(t, metrics, `ratelimit_service_total_requests{grpc_method="ShouldRateLimit"} 4`)

	p.write(t, strings.Replace(rules, ": 3", ": 10", 1))
	require.Eventually(t, func() bool { return strings.Contains(p.get(t, p.debug, "/rlconfig"), "requests_per_unit=10") },
		time.Minute, 5*time.Millisecond)
	require.EqualValues(t, 4, p.ask(t, context.Background()).GetStatuses()[0].GetLimitRemaining(), "counters stay")
	require.Zero(t, p.stop(), p.logged)
}

func TestWrongVariablesEndTheProgram(t *testing.T) {
	out := &lockedBuffer{}
	status := call(context.Background(), []string{"ratelimit"}, func(name string) string {
		return map[string]string{"PORT": "x", "REDIS_TYPE": "ring"}[name]
	}, io.Discard, out)
	require.Equal(t, 1, status)
	require.Contains(t, out.String(), "PORT=x: the value must be an integer")
	require.Contains(t, out.String(), "REDIS_TYPE=ring")
}

func TestTheCheckOfFiles(t *testing.T) {
	folder := t.TempDir()
	file := filepath.Join(folder, "a.yaml")
	none := func(string) string { return "" }
	for _, c := range []struct {
		args   []string
		text   string
		status int
		want   string
	}{
		{[]string{"/bin/ratelimit_config_check", "-config_dir", folder}, rules, 0, "all rate limit configs ok: 1 files, 1 rules\n"},
		{[]string{"cellserver-envoy", "--check-config", folder}, rules, 0, "all rate limit configs ok: 1 files, 1 rules\n"},
		{[]string{"cellserver-envoy", "--check-config", folder}, "domain: ''", 1,
			"error loading rate limit configs: " + file + ": config file cannot have empty domain\n"},
	} {
		require.NoError(t, os.WriteFile(file, []byte(c.text), 0o644))
		out := &bytes.Buffer{}
		require.Equal(t, c.status, call(context.Background(), c.args, none, out, out))
		require.Equal(t, c.want, out.String())
	}
	second := filepath.Join(t.TempDir(), "extra.yaml")
	require.NoError(t, os.WriteFile(second, []byte("rules: {shop.nobody: {unit_multiplier: 2}}"), 0o644))
	require.NoError(t, os.WriteFile(file, []byte(rules), 0o644))
	out := &bytes.Buffer{}
	named := func(name string) string { return map[string]string{"RATELIMIT_EXTRA_FILE": second}[name] }
	require.Equal(t, 1, call(context.Background(), []string{"x", "--check-config", folder}, named, out, out))
	require.Contains(t, out.String(), "the rules do not have rule shop.nobody")
	require.Equal(t, 1, call(context.Background(), []string{"x", "--check-config", "/no/such/folder"}, none, io.Discard, io.Discard))
	require.Equal(t, 2, call(context.Background(), []string{"x", "--wrong"}, none, io.Discard, io.Discard))
	other := strings.ReplaceAll(rules, "user", "other")
	require.NoError(t, os.WriteFile(filepath.Join(folder, "b.yaml"), []byte(other), 0o644))
	for value, status := range map[string]int{"": 1, "0": 1, "true": 0, "1": 0, "T": 0} {
		merge := func(name string) string { return map[string]string{"MERGE_DOMAIN_CONFIG": value}[name] }
		args := []string{"x", "--check-config", folder}
		require.Equal(t, status, call(context.Background(), args, merge, io.Discard, io.Discard), "as the service, with '%s'", value)
	}
}

// Clients that choose a million values must not fill the memory. Requests are answered all the same.
func TestManyValuesCostTheCountersThatEndFirst(t *testing.T) {
	require.Equal(t, []string{"--maxmemory", "128mb", "--maxmemory-policy", "volatile-ttl"}, embedded{}.bounded())
	e := embedded{directives: []string{"--maxmemory", "2mb", "--maxmemory-policy", "volatile-ttl"}}
	store, err := openStore(settings.Store{}, e, stats.NewRegistry(), slog.New(slog.DiscardHandler))
	require.NoError(t, err)
	defer store.Close()
	require.Eventually(t, func() bool { return store.Ready() == nil }, time.Minute, time.Millisecond)
	count := func(key string, period time.Duration) uint64 {
		results, err := store.Count(context.Background(), count.Request{
			Domain: "shop", Hits: []count.Hit{{Key: key, Limit: 10, Period: period, Hits: 1}},
		})
		require.NoError(t, err)
		return results[0].After
	}
	for range 5 {
		count("kept", 365*24*time.Hour)
	}
	for i := range 50_000 {
		count(fmt.Sprintf("value:%d", i), time.Hour)
	}
	require.EqualValues(t, 6, count("kept", 365*24*time.Hour), "a longer window is not forgotten")
}

func TestTheSecondFile(t *testing.T) {
	second := filepath.Join(t.TempDir(), "extra.yaml")
	require.NoError(t, os.WriteFile(second, []byte("rules: {shop.user: {limits: [{limit: 1, calendar: month, zone: Asia/Tokyo}]}}"), 0o644))
	p := start(t, map[string]string{"RATELIMIT_EXTRA_FILE": second})
	require.Eventually(t, func() bool { return strings.Contains(p.get(t, p.debug, "/rlconfig"), "shop.user: ") },
		time.Minute, 5*time.Millisecond)
	require.Equal(t, "OK", p.ask(t, context.Background()).GetOverallCode().String())
	r := p.ask(t, context.Background())
	require.Equal(t, "OVER_LIMIT", r.GetOverallCode().String())
	require.EqualValues(t, 1, r.GetStatuses()[0].GetCurrentLimit().GetRequestsPerUnit())
}

func TestTheLogInJSON(t *testing.T) {
	p := start(t, map[string]string{"LOG_FORMAT": "json", "LOCAL_CACHE_SIZE_IN_BYTES": "7"})
	first, _, _ := strings.Cut(p.logged.String(), "\n")
	line := map[string]string{}
	require.NoError(t, json.Unmarshal([]byte(first), &line))
	require.Equal(t, "warning", line["level"])
	require.Equal(t, "LOCAL_CACHE_SIZE_IN_BYTES is accepted and has no use: there is no local cache", line["@message"])
	require.NotEmpty(t, line["@timestamp"])
}

// Traces go to the exporter of the variables, with the trace of the caller, in the headers of B3 or of
// the W3C.
func TestTraces(t *testing.T) {
	spans := make(chan *collector.ExportTraceServiceRequest, 100)
	receiver := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		request := &collector.ExportTraceServiceRequest{}
		if proto.Unmarshal(body, request) == nil {
			spans <- request
		}
	}))
	defer receiver.Close()
	t.Setenv("OTEL_EXPORTER_OTLP_ENDPOINT", receiver.URL)
	p := start(t, map[string]string{"TRACING_ENABLED": "true", "TRACING_SERVICE_NAME": "limits"})
	require.Eventually(t, func() bool { return strings.Contains(p.get(t, p.debug, "/rlconfig"), "shop.user: ") },
		time.Minute, 5*time.Millisecond)
	trace := "0af7651916cd43dd8448eb211c80319c"
	p.ask(t, metadata.AppendToOutgoingContext(context.Background(), "traceparent", "00-"+trace+"-b7ad6b7169203331-01"))
	p.ask(t, metadata.AppendToOutgoingContext(context.Background(), "b3", trace+"-b7ad6b7169203331-1"))
	require.Zero(t, p.stop(), p.logged)
	found := map[string]int{}
	for len(spans) > 0 {
		for _, r := range (<-spans).GetResourceSpans() {
			require.Contains(t, fmt.Sprint(r.GetResource()), "limits")
			for _, scope := range r.GetScopeSpans() {
				for _, span := range scope.GetSpans() {
					require.Equal(t, trace, fmt.Sprintf("%x", span.GetTraceId()))
					found[span.GetName()]++
				}
			}
		}
	}
	require.Equal(t, 2, found["ShouldRateLimit Execution"])
	require.Equal(t, 2, found["Redis Pipeline Execution"])
}

// A gateway sets REDIS_URL always: a Redis that is away is unhealthy and UNAVAILABLE, not a crash.
func TestAStoreThatIsAwayAtTheStart(t *testing.T) {
	out := &lockedBuffer{}
	ports := freePorts(t, 4)
	variables := map[string]string{
		"REDIS_SOCKET_TYPE": "tcp", "REDIS_URL": fmt.Sprint("127.0.0.1:", ports[3]), "USE_STATSD": "false", "DISABLE_STATS": "true", "RUNTIME_ROOT": t.TempDir(),
		"RUNTIME_SUBDIRECTORY": "x", "HOST": "127.0.0.1", "GRPC_HOST": "127.0.0.1", "DEBUG_HOST": "127.0.0.1",
		"PORT": fmt.Sprint(ports[0]), "GRPC_PORT": fmt.Sprint(ports[1]), "DEBUG_PORT": fmt.Sprint(ports[2]),
	}
	ctx, cancel := context.WithCancel(context.Background())
	status := make(chan int, 1)
	go func() {
		status <- call(ctx, []string{"ratelimit"}, func(name string) string { return variables[name] }, io.Discard, out)
	}()
	require.Eventually(t, func() bool {
		r, err := http.Get(fmt.Sprintf("http://127.0.0.1:%d/healthcheck", ports[0]))
		if err != nil {
			return false
		}
		defer r.Body.Close()
		return r.StatusCode == 500
	}, time.Minute, 10*time.Millisecond, "%s", out)
	cancel()
	require.Zero(t, <-status, out)
}

// Dashboards show the connections to the store.
func TestConnectionsToTheStoreAreCounted(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	registry := stats.NewRegistry()
	store, err := openStore(settings.Store{URL: listener.Addr().String()}, embedded{}, registry, slog.New(slog.DiscardHandler))
	require.NoError(t, err)
	c, err := listener.Accept()
	require.NoError(t, err)
	require.NoError(t, listener.Close())
	value := func(name string) uint64 { return registry.Counter("ratelimit.redis_pool." + name).Value() }
	require.Eventually(t, func() bool { return value("cx_total") == 1 }, time.Minute, time.Millisecond)
	require.Zero(t, value("cx_local_close"))
	require.NoError(t, c.Close())
	require.Eventually(t, func() bool { return value("cx_local_close") == 1 }, time.Minute, time.Millisecond)
	require.NoError(t, store.Close())
	collector, err := stats.NewCollector(registry, "", nil)
	require.NoError(t, err)
	metrics := prometheus.NewRegistry()
	metrics.MustRegister(collector)
	families, err := metrics.Gather()
	require.NoError(t, err)
	require.Contains(t, fmt.Sprint(families), "ratelimit_redis_pool_cx_active")
}

func freePorts(t *testing.T, n int) (ports []int) {
	t.Helper()
	for range n {
		ports = append(ports, porttest.Free(t))
	}
	return ports
}
