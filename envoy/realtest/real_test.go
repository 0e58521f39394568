package realtest

import (
	"bytes"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"text/template"
	"time"

	"cellserver/internal/buildtest"
	"cellserver/internal/porttest"
	"cellserver/internal/processtest"

	"github.com/redis/rueidis"
	"github.com/stretchr/testify/require"
)

// The programs of the tests.
var (
	service, server string
	programs        = []buildtest.Program{
		{Package: "cellserver/envoy/cmd/cellserver-envoy", Path: &service},
		{Package: buildtest.Server, Path: &server, Flags: []string{"-C", "../.."}}, // another module
	}
)

func TestMain(m *testing.M) {
	if at := os.Getenv(floorAt); at != "" {
		serveFloor(at)
	}
	os.Setenv("CGO_ENABLED", "0") // as the image has them
	os.Exit(buildtest.Run(m, programs...))
}

// bootstrap configures an Envoy before a web server, which asks the service about every request.
var bootstrap = template.Must(template.New("").Parse(`
static_resources:
  listeners:
  - address: {socket_address: {address: 127.0.0.1, port_value: {{.Port}}}}
    filter_chains:
    - filters:
      - name: envoy.filters.network.http_connection_manager
        typed_config:
          "@type": type.googleapis.com/envoy.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager
          stat_prefix: web
          route_config:
            virtual_hosts:
            - name: all
              domains: ["*"]
              rate_limits: {{.Asks}}
              routes:
              - match: {prefix: /}
                route: {cluster: web}
          http_filters:
          - name: envoy.filters.http.ratelimit
            typed_config:
              "@type": type.googleapis.com/envoy.extensions.filters.http.ratelimit.v3.RateLimit
              domain: {{.Domain}}
              timeout: {{if .Timeout}}{{.Timeout}}{{else}}10s{{end}}
              {{.Filter}}
              rate_limit_service:
                transport_api_version: V3
                grpc_service: {envoy_grpc: {cluster_name: ratelimit}}
          - name: envoy.filters.http.router
            typed_config: {"@type": type.googleapis.com/envoy.extensions.filters.http.router.v3.Router}
  clusters:
  - name: web
    type: STATIC
    load_assignment:
      cluster_name: web
      endpoints: [{lb_endpoints: [{endpoint: {address: {socket_address: {address: 127.0.0.1, port_value: {{.Web}}}}}}]}]
  - name: ratelimit
    type: STATIC
    {{.Cluster}}
    typed_extension_protocol_options:
      envoy.extensions.upstreams.http.v3.HttpProtocolOptions:
        "@type": type.googleapis.com/envoy.extensions.upstreams.http.v3.HttpProtocolOptions
        explicit_http_config: {http2_protocol_options: {}}
    load_assignment:
      cluster_name: ratelimit
      endpoints: [{lb_endpoints: [{endpoint: {address: {socket_address: {address: 127.0.0.1, port_value: {{.Service}}}}}}]}]
`))

const deny = "failure_mode_deny: true"

// An example is what an owner of an Envoy writes.
type example struct {
	Domain  string
	Asks    string   // rate_limits of the virtual host
	Filter  string   // more of the filter
	Cluster string   // more of the cluster of the service
	Timeout string   // of a question; "" for one that a busy machine keeps
	rules   string   // the file
	environ []string // more variables of the service
}

// gateway is an Envoy with our service.
type gateway struct {
	t     *testing.T
	url   string
	debug string // of the service
	rules string // the path of the file
}

// newGateway starts an Envoy that limits users. environ has more variables of the service.
func newGateway(t *testing.T, limit int, timeout string, environ ...string) *gateway {
	return example{
		Domain: "shop", rules: rulesWith(limit), Timeout: timeout, environ: environ,
		Asks: `[{actions: [{request_headers: {header_name: x-user, descriptor_key: user}}]},
                {actions: [{request_headers: {header_name: x-shadow, descriptor_key: shadow}}]}]`,
		Filter: deny + "\n              enable_x_ratelimit_headers: DRAFT_VERSION_03",
	}.start(t)
}

// start starts both.
func (e example) start(t *testing.T) *gateway {
	envoy := processtest.Installed(t, filepath.Join("..", "..", "tests", ".cache", "envoy", "envoy", "_bin", "envoy"))
	dir, ports := t.TempDir(), [4]int{}
	for i := range ports {
		ports[i] = porttest.Free(t)
	}
	g := &gateway{
		t: t, url: fmt.Sprint("http://127.0.0.1:", ports[0]), debug: fmt.Sprint("http://127.0.0.1:", ports[3]),
		rules: filepath.Join(dir, "config", "config.yaml"),
	}
	require.NoError(t, os.Mkdir(filepath.Dir(g.rules), 0o755))
	require.NoError(t, os.WriteFile(g.rules, []byte(e.rules), 0o600))
	cmd := exec.Command(service)
	cmd.Env = append(os.Environ(), append([]string{
		"RUNTIME_ROOT=" + dir, "RUNTIME_SUBDIRECTORY=.", "RUNTIME_APPDIRECTORY=config", "RUNTIME_WATCH_ROOT=false",
		"USE_STATSD=false", "HOST=127.0.0.1", "GRPC_HOST=127.0.0.1", "DEBUG_HOST=127.0.0.1",
		fmt.Sprint("GRPC_PORT=", ports[1]), fmt.Sprint("PORT=", ports[2]), fmt.Sprint("DEBUG_PORT=", ports[3]),
	}, e.environ...)...)
	processtest.Start(t, cmd).Await(fmt.Sprint("127.0.0.1:", ports[1]))
	require.Eventually(t, func() bool {
		status, _, _ := g.get(fmt.Sprint("http://127.0.0.1:", ports[2], "/healthcheck"), "")
		_, _, rules := g.get(g.debug+"/rlconfig", "")
		return status == 200 && rules != ""
	}, processtest.Patience, 10*time.Millisecond, "the service is not healthy")
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "passed") }))
	t.Cleanup(web.Close)
	var text bytes.Buffer
	require.NoError(t, bootstrap.Execute(&text, struct {
		example
		Port, Service, Web int
	}{e, ports[0], ports[1], web.Listener.Addr().(*net.TCPAddr).Port}))
	file := filepath.Join(dir, "envoy.yaml")
	require.NoError(t, os.WriteFile(file, text.Bytes(), 0o600))
	processtest.Start(t, exec.Command(envoy, "-c", file, "--use-dynamic-base-id", "--concurrency", "1", "-l", "warning",
		"--service-cluster", "proxy", "--service-node", "proxy")).
		Await(strings.TrimPrefix(g.url, "http://"))
	return g
}

// rulesWith are rules with a limit for each user.
func rulesWith(limit int) string {
	return fmt.Sprintf(`domain: shop
descriptors:
  - {key: user, rate_limit: {name: per-user, unit: year, requests_per_unit: %d}}
  - {key: shadow, shadow_mode: true, rate_limit: {unit: year, requests_per_unit: 1}}
`, limit)
}

// setLimit writes the rules with another limit.
func (g *gateway) setLimit(limit int) {
	require.NoError(g.t, os.WriteFile(g.rules, []byte(rulesWith(limit)), 0o600))
}

// client keeps a connection for each caller of a test.
var client = &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 64}, Timeout: 10 * time.Second}

// get asks with a header such as "x-user: ann".
func (g *gateway) get(url, header string) (status int, h http.Header, body string) {
	r, err := http.NewRequestWithContext(g.t.Context(), http.MethodGet, url, nil)
	require.NoError(g.t, err)
	if name, value, ok := strings.Cut(header, ": "); ok {
		r.Header.Set(name, value)
	}
	got, err := client.Do(r)
	if err != nil {
		return 0, nil, ""
	}
	defer got.Body.Close()
	text, _ := io.ReadAll(got.Body)
	return got.StatusCode, got.Header, string(text)
}

// TestEnvoy: a real Envoy lets exactly the limit pass, with its headers, in shadow, and after a reload.
func TestEnvoy(t *testing.T) {
	g := newGateway(t, 5, "")
	for i := range 5 {
		status, h, body := g.get(g.url, "x-user: ann")
		require.Equal(t, 200, status)
		require.Equal(t, "passed", body)
		require.Equal(t, strconv.Itoa(4-i), h.Get("X-Ratelimit-Remaining"))
		require.Equal(t, `5, 5;w=31536000;name="per-user"`, h.Get("X-Ratelimit-Limit"))
	}
	status, h, _ := g.get(g.url, "x-user: ann")
	require.Equal(t, 429, status)
	require.Equal(t, "0", h.Get("X-Ratelimit-Remaining"))
	require.Equal(t, "true", h.Get("X-Envoy-Ratelimited"))
	reset, err := strconv.Atoi(h.Get("X-Ratelimit-Reset"))
	require.NoError(t, err)
	require.True(t, 0 < reset && reset <= 31_536_000, reset)
	for range 3 {
		status, _, _ = g.get(g.url, "x-shadow: ann")
		require.Equal(t, 200, status)
	}
	status, _, _ = g.get(g.url, "")
	require.Equal(t, 200, status, "a request without a descriptor")

	g.setLimit(8) // six have counted, and the refused one was one of them
	require.Eventually(t, func() bool {
		_, _, config := g.get(g.debug+"/rlconfig", "")
		return strings.Contains(config, "requests_per_unit=8")
	}, processtest.Patience, 10*time.Millisecond)
	for _, want := range []int{200, 200, 429} {
		status, _, _ = g.get(g.url, "x-user: ann")
		require.Equal(t, want, status)
	}
}

// TestEnvoyBeforeACluster: 64 clients ask while the rules are loaded again and the leader dies. Exactly the
// limit passes.
func TestEnvoyBeforeACluster(t *testing.T) {
	nodes, addresses := []*processtest.Process{}, []string{}
	for range 3 {
		addresses = append(addresses, fmt.Sprint("127.0.0.1:", porttest.Free(t)))
	}
	for _, address := range addresses {
		_, port, _ := strings.Cut(address, ":")
		nodes = append(nodes, processtest.Start(t, exec.Command(server, append([]string{
			"--port", port, "--bind", "127.0.0.1", "--dir", t.TempDir(), "--cluster-enabled", "yes", "--cluster-nodes",
		}, addresses...)...)))
	}
	const limit, more = 3000, 3500
	g := newGateway(t, limit, "1s", "REDIS_TYPE=CLUSTER", "REDIS_SOCKET_TYPE=tcp", "REDIS_URL="+strings.Join(addresses, ","))
	var passed, refused, failed, answered atomic.Int64
	begin := time.Now()
	var clients sync.WaitGroup
	for range 64 {
		clients.Go(func() {
			for refused.Load() < 500 && time.Since(begin) < processtest.Patience {
				status, _, _ := g.get(g.url, "x-user: ann")
				switch status {
				case 200:
					passed.Add(1)
				case 429:
					refused.Add(1)
				default:
					failed.Add(1)
					time.Sleep(time.Millisecond)
					continue
				}
				answered.Store(int64(time.Since(begin)))
			}
		})
	}
	until := func(enough func() bool) {
		t.Helper()
		require.Eventually(t, enough, processtest.Patience, time.Millisecond)
	}
	until(func() bool { return passed.Load() > 500 })
	g.setLimit(more)
	until(func() bool { return passed.Load() > 1000 })
	led := -1
	until(func() bool { led = leader(t, addresses); return led >= 0 })
	killed := time.Since(begin)
	nodes[led].Stop(syscall.SIGKILL)
	until(func() bool { return failed.Load() > 0 || passed.Load() > 2000 })
	until(func() bool { return answered.Load() > int64(killed+time.Second) || refused.Load() > 0 })
	clients.Wait()
	t.Logf("%d passed, %d failed", passed.Load(), failed.Load())
	// A failed request may have counted.
	require.LessOrEqual(t, passed.Load(), int64(more))
	require.GreaterOrEqual(t, passed.Load()+failed.Load(), int64(more))
	require.Less(t, time.Since(begin), processtest.Patience)
}

// leader returns the number of the node that leads, -1 if the first node does not know one.
func leader(t *testing.T, addresses []string) int {
	node, err := rueidis.NewClient(rueidis.ClientOption{
		InitAddress: addresses[:1], ForceSingleClient: true, DisableCache: true,
	})
	require.NoError(t, err)
	defer node.Close()
	slots, err := node.Do(t.Context(), node.B().ClusterSlots().Build()).ToArray()
	if err != nil || len(slots) == 0 {
		return -1
	}
	parts, err := slots[0].ToArray()
	require.NoError(t, err)
	address, err := parts[2].ToArray()
	require.NoError(t, err)
	host, err := address[0].ToString()
	require.NoError(t, err)
	port, err := address[1].AsInt64()
	require.NoError(t, err)
	return slices.Index(addresses, fmt.Sprint(host, ":", port))
}
