package stats

import (
	"bufio"
	"fmt"
	"net"
	"strings"
	"testing"
	"time"

	gostats "github.com/lyft/gostats"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/common/expfmt"
	"github.com/stretchr/testify/require"
)

// scrape returns what Prometheus reads, without comments.
func scrape(t *testing.T, c *Collector) []string {
	t.Helper()
	registry := prometheus.NewPedanticRegistry()
	require.NoError(t, registry.Register(c))
	families, err := registry.Gather()
	require.NoError(t, err)
	text := &strings.Builder{}
	for _, family := range families {
		_, err := expfmt.MetricFamilyToText(text, family)
		require.NoError(t, err)
	}
	var lines []string
	for _, line := range strings.Split(text.String(), "\n") {
		if line != "" && !strings.HasPrefix(line, "#") {
			lines = append(lines, line)
		}
	}
	return lines
}

// Dashboards read these names and labels.
func TestNamesAndLabelsOfPrometheus(t *testing.T) {
	r := NewRegistry()
	rules := r.Load([]string{"shop.user", "shop.user_ann.path", "shop.a.b.c", "shop.a.b.d", "ip.addr_10.1.2.3"})
	for i, rule := range rules {
		rule.TotalHits.Add(uint64(i + 1))
		rule.WithinLimit.Add(1)
	}
	r.DomainNotFound("nowhere", 1)
	r.Counter("ratelimit.service.call.should_rate_limit.redis_error").Add(3)
	r.Counter("ratelimit.service.config_load_success").Add(1)
	r.Gauge("ratelimit.redis_pool.cx_active", func() uint64 { return 7 })
	c, err := NewCollector(r, "", map[string]string{"my-zone": "a"})
	require.NoError(t, err)
	r.Requests.Observe(30 * time.Millisecond)
	lines := scrape(t, c)
	for _, want := range []string{
		`ratelimit_service_rate_limit_total_hits{domain="shop",key1="user",my_zone="a"} 1`,
		`ratelimit_service_rate_limit_total_hits{domain="shop",key1="user_ann",key2="path",my_zone="a"} 2`,
		`ratelimit_service_rate_limit_total_hits{domain="shop",key1="a",key2="b",my_zone="a"} 7`, // both of the third level
		`ratelimit_service_rate_limit_within_limit{domain="shop",key1="a",key2="b",my_zone="a"} 2`,
		`ratelimit_service_rate_limit_total_hits{domain="ip",key1="addr_10_1_2_3",my_zone="a"} 5`,
		`ratelimit_service_rate_limit_domain_not_found{domain="nowhere",my_zone="a"} 1`,
		`ratelimit_service_should_rate_limit_error{err_type="redis_error",my_zone="a"} 3`,
		`ratelimit_service_total_requests{grpc_method="ShouldRateLimit",my_zone="a"} 1`,
		`ratelimit_service_response_time_seconds_bucket{grpc_method="ShouldRateLimit",my_zone="a",le="0.025"} 0`,
		`ratelimit_service_response_time_seconds_bucket{grpc_method="ShouldRateLimit",my_zone="a",le="0.05"} 1`,
		`ratelimit_service_config_load_success{my_zone="a"} 1`,
		`ratelimit_redis_pool_cx_active{my_zone="a"} 7`,
	} {
		require.Contains(t, lines, want)
	}
}

// A gateway brings a mapping of its own, without a scale.
func TestAMappingOfTheUser(t *testing.T) {
	r := NewRegistry()
	r.Load([]string{"shop.user"})[0].TotalHits.Add(1)
	c, err := NewCollector(r, `
mappings:
  - match: "ratelimit.service.rate_limit.*.*.total_hits"
    name: "hits"
    labels: {dom: "$1"}
  - match: "ratelimit.service.rate_limit.*.*.*"
    name: "none"
    action: drop
  - match: "ratelimit_server.*.response_time"
    name: "times"
    timer_type: histogram
`, nil)
	require.NoError(t, err)
	r.Requests.Observe(3 * time.Second)
	lines := scrape(t, c)
	require.Contains(t, lines, `hits{dom="shop"} 1`)
	require.Contains(t, lines, `times_sum 3000`)
	for _, line := range lines {
		require.NotContains(t, line, "none")
	}
	_, err = NewCollector(r, "mappings: [", nil)
	require.Error(t, err)
}

// Over TCP, only what has changed, with tags as parts of the name.
func TestStatsdOverTCP(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer listener.Close()
	lines := make(chan string, 100)
	go func() {
		c, err := listener.Accept()
		if err != nil {
			return
		}
		defer c.Close()
		for s := bufio.NewScanner(c); s.Scan(); {
			lines <- s.Text()
		}
	}()
	r := NewRegistry()
	rule := r.Load([]string{"shop.user_a:b|c"})[0]
	rule.TotalHits.Add(5)
	sink := gostats.NewNetSink(gostats.WithStatsdHost("127.0.0.1"), gostats.WithStatsdProtocol("tcp"),
		gostats.WithStatsdPort(listener.Addr().(*net.TCPAddr).Port))
	tags := map[string]string{"zone": "a", "app": "b"}
	r.Flush(sink, tags)
	require.Equal(t, "ratelimit.service.rate_limit.shop.user_a_b_c.total_hits.__app=b.__zone=a:5|c", <-lines)
	rule.TotalHits.Add(2)
	r.Flush(sink, tags)
	require.Equal(t, "ratelimit.service.rate_limit.shop.user_a_b_c.total_hits.__app=b.__zone=a:2|c", <-lines)
	r.Requests.Observe(2 * time.Millisecond)
	r.Flush(sink, nil)
	require.Equal(t, "ratelimit_server.ShouldRateLimit.total_requests:1|c", <-lines)
	require.Equal(t, "ratelimit_server.ShouldRateLimit.response_time:2|ms", <-lines)
}

func TestDogStatsdOverUDP(t *testing.T) {
	listener, err := net.ListenPacket("udp", "127.0.0.1:0")
	require.NoError(t, err)
	defer listener.Close()
	sink, err := NewDogStatsd(listener.LocalAddr().String(), map[string]string{"zone": "a"})
	require.NoError(t, err)
	r := NewRegistry()
	r.Load([]string{"shop.user"})[0].TotalHits.Add(5)
	r.Flush(sink, nil)
	require.NoError(t, listener.SetDeadline(time.Now().Add(10*time.Second)))
	buffer := make([]byte, 1500)
	n, _, err := listener.ReadFrom(buffer)
	require.NoError(t, err)
	require.Equal(t, "ratelimit.service.rate_limit.shop.user.total_hits:5|c|#zone:a", strings.TrimSpace(string(buffer[:n])))
}

func TestALoadKeepsCountsAndDropsWhatIsGone(t *testing.T) {
	r := NewRegistry()
	old := r.Load([]string{"shop.a", "shop.b"})
	old[0].TotalHits.Add(3)
	quiet := r.Dynamic("shop.a_1", old[0], "shop")
	busy := r.Dynamic("shop.a_2", old[0], "shop")
	busy.TotalHits.Add(1)
	loaded := r.Load([]string{"shop.c", "shop.a"})
	require.Same(t, old[0], loaded[1])
	require.NotSame(t, quiet, r.Dynamic("shop.a_1", old[0], "shop"))
	require.Same(t, busy, r.Dynamic("shop.a_2", old[0], "shop"))
	names := map[string]bool{}
	r.each(func(name string, _ *Counter) { names[name] = true })
	require.False(t, names["ratelimit.service.rate_limit.shop.b.total_hits"])
}

func TestLongNamesAreCut(t *testing.T) {
	require.LessOrEqual(t, len(clean(strings.Repeat("ä", 5000))), maxName)
	require.Equal(t, "a_b_c", clean("a:b|c"))
	require.Equal(t, "ip_10_1_2_3.x", clean("ip_10.1.2.3.x"))
}

// A sinkFunc calls a function for each counter.
type sinkFunc func()

func (f sinkFunc) FlushCounter(string, uint64) { f() }
func (sinkFunc) FlushGauge(string, uint64)     {}
func (sinkFunc) FlushTimer(string, float64)    {}
func (sinkFunc) Flush()                        {}

// A sinkMap adds what it gets.
type sinkMap map[string]uint64

func (m sinkMap) FlushCounter(name string, n uint64) { m[strings.TrimPrefix(name, rulePrefix)] += n }
func (sinkMap) FlushGauge(string, uint64)            {}
func (sinkMap) FlushTimer(string, float64)           {}
func (sinkMap) Flush()                               {}

// A load between two flushes may remove a key, and bring it back.
func TestALoadLosesNoHitsOfASink(t *testing.T) {
	r, sink := NewRegistry(), sinkMap{}
	kept := r.Load([]string{"shop.a", "shop.b"})
	kept[1].TotalHits.Add(2)
	r.Flush(sink, nil)
	kept[1].TotalHits.Add(3)
	r.Dynamic("shop.a_1", nil, "shop").TotalHits.Add(5)
	r.Load([]string{"shop.a"})
	r.Load([]string{"shop.a", "shop.b"})[1].TotalHits.Add(7)
	r.Flush(sink, nil)
	r.Flush(sink, nil)
	require.Equal(t, sinkMap{"shop.b.total_hits": 12, "shop.a_1.total_hits": 5}, sink)
}

// Without a sink nothing takes what loads remove.
func TestWhatLoadsRemoveIsBounded(t *testing.T) {
	r := NewRegistry()
	for i := range maxDynamic + 10 {
		r.Load([]string{fmt.Sprint("shop.", i)})[0].TotalHits.Add(1)
	}
	require.Len(t, r.gone, maxDynamic)
}

// Who reads the metrics may take long: it has 60,000 names to map.
func TestRequestsDoNotWaitForWhoReadsTheMetrics(t *testing.T) {
	r := NewRegistry()
	r.Dynamic("shop.user_ann", nil, "shop").TotalHits.Add(1)
	calls := 0
	r.Flush(sinkFunc(func() {
		calls++
		require.True(t, r.mu.TryLock(), "a request with a new key waits for this lock")
		r.mu.Unlock()
	}), nil)
	require.Equal(t, 1, calls)
}

// A gateway writes the names of a route twice into the names of its rules, which differ in their ends.
func TestLongNamesAreNotMixed(t *testing.T) {
	r, route := NewRegistry(), strings.Repeat("r", maxName)
	rules := r.Load([]string{"shop." + route + ".rule-0", "shop." + route + ".rule-1"})
	rules[0].TotalHits.Add(1)
	require.Zero(t, rules[1].TotalHits.Value())
	one, two := r.Dynamic("shop."+route+".1", nil, "shop"), r.Dynamic("shop."+route+".2", nil, "shop")
	require.NotSame(t, one, two)
}
