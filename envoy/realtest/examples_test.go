package realtest

import (
	"fmt"
	"net"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"cellserver/envoy/tlsfiles"
	"cellserver/internal/certtest"
	"cellserver/internal/porttest"
	"cellserver/internal/processtest"

	discovery "github.com/envoyproxy/go-control-plane/envoy/service/discovery/v3"
	ratelimit "github.com/envoyproxy/go-control-plane/envoy/service/ratelimit/v3"
	xds "github.com/envoyproxy/go-control-plane/ratelimit/config/ratelimit/v3"
	"github.com/stretchr/testify/require"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials"
	"google.golang.org/protobuf/types/known/anypb"
)

// expect asks with headers, one "name: value" each, or for a path.
func (g *gateway) expect(asks string, want ...int) {
	g.t.Helper()
	for i, status := range want {
		url, header := g.url, asks
		if strings.HasPrefix(asks, "/") {
			url, header = g.url+asks, ""
		}
		got, _, _ := g.get(url, header)
		require.Equal(g.t, status, got, "%s, request %d", asks, i+1)
	}
}

// TestPlainEnvoy: clusters and headers, in descriptors of one and of two entries, with wildcards.
func TestPlainEnvoy(t *testing.T) {
	t.Parallel()
	g := example{
		Domain: "rl", Filter: deny,
		Asks: `[{actions: [{source_cluster: {}}, {destination_cluster: {}}]},
                {actions: [{request_headers: {header_name: x-account, descriptor_key: account}},
                           {request_headers: {header_name: ":method", descriptor_key: method}}]},
                {actions: [{request_headers: {header_name: ":path", descriptor_key: path}}]}]`,
		rules: `domain: rl
descriptors:
  - key: source_cluster
    value: proxy
    descriptors:
      - {key: destination_cluster, value: web, rate_limit: {unit: year, requests_per_unit: 8}}
  - key: account
    descriptors: [{key: method, value: GET, rate_limit: {unit: year, requests_per_unit: 1}}]
  - {key: path, value: /img/*, share_threshold: true, rate_limit: {unit: year, requests_per_unit: 2}}
`,
	}.start(t)
	g.expect("x-account: ann", 200, 429)
	g.expect("x-account: bob", 200, 429)
	g.expect("/img/1", 200)
	g.expect("/img/2", 200)
	g.expect("/img/3", 429)
	g.expect("/other", 200, 429) // the eighth and the ninth of all
}

// TestTheSampleOfIstio: the variables and the rules of its sample, with the Redis beside the service.
func TestTheSampleOfIstio(t *testing.T) {
	t.Parallel()
	redis := fmt.Sprint("127.0.0.1:", porttest.Free(t))
	_, port, _ := strings.Cut(redis, ":")
	processtest.Start(t, exec.Command(processtest.Installed(t, "redis-server"),
		"--port", port, "--bind", "127.0.0.1", "--save", "", "--dir", t.TempDir())).Await(redis)
	g := example{
		Domain: "ratelimit", Filter: deny,
		Asks: `[{actions: [{request_headers: {header_name: ":path", descriptor_key: PATH}}]}]`,
		rules: `domain: ratelimit
descriptors:
  - key: PATH
    value: "/productpage"
    rate_limit: {unit: year, requests_per_unit: 1}
  - key: PATH
    value: api
    rate_limit: {unit: year, requests_per_unit: 2}
  - key: PATH
    rate_limit: {unit: year, requests_per_unit: 3}
`,
		environ: []string{
			"LOG_LEVEL=debug", "REDIS_SOCKET_TYPE=tcp", "REDIS_URL=" + redis, "RUNTIME_IGNOREDOTFILES=true",
		},
	}.start(t)
	g.expect("/productpage", 200, 429)
	g.expect("/login", 200, 200, 200, 429)
	g.expect("/logout", 200)
}

// TestTheExampleOfContour: a generic key beside the address of the client, and requests pass while the
// service is away.
func TestTheExampleOfContour(t *testing.T) {
	t.Parallel()
	g := example{
		Domain: "contour",
		Asks: `[{actions: [{generic_key: {descriptor_value: vhostlevel}}]},
                {actions: [{remote_address: {}}]}]`,
		rules: `domain: contour
descriptors:
  - {key: generic_key, value: vhostlevel, rate_limit: {unit: year, requests_per_unit: 3}}
  - {key: remote_address, rate_limit: {unit: year, requests_per_unit: 30}}
`,
	}.start(t)
	g.expect("/", 200, 200, 200, 429)
}

// A plane is the control plane of Envoy Gateway. It sends the rules once to each stream.
type plane struct {
	discovery.UnimplementedAggregatedDiscoveryServiceServer
	rules *anypb.Any
}

func (p *plane) StreamAggregatedResources(s discovery.AggregatedDiscoveryService_StreamAggregatedResourcesServer) error {
	first, err := s.Recv()
	if err != nil {
		return err
	}
	if err := s.Send(&discovery.DiscoveryResponse{
		VersionInfo: "1", Nonce: "n", TypeUrl: first.GetTypeUrl(), Resources: []*anypb.Any{p.rules},
	}); err != nil {
		return err
	}
	<-s.Context().Done()
	return nil
}

// TestEnvoyGateway: rules over xDS with certificates, TLS from Envoy to the service, and the descriptors of
// its routes: a header with one value, a header with any value, and a network of clients.
func TestEnvoyGateway(t *testing.T) {
	t.Parallel()
	certs := t.TempDir()
	path := func(name string) string { return filepath.Join(certs, name) }
	for _, name := range []string{"gateway", "limits", "proxy"} {
		certtest.New(t, certs, name)
	}
	limited := func(key, value string, limit uint32, below ...*xds.RateLimitDescriptor) *xds.RateLimitDescriptor {
		d := &xds.RateLimitDescriptor{Key: key, Value: value, Descriptors: below}
		if limit > 0 {
			// xds.RateLimitUnit has no name for a year. A day may end during the test.
			const year = xds.RateLimitUnit(ratelimit.RateLimitResponse_RateLimit_YEAR)
			d.RateLimit = &xds.RateLimitPolicy{Unit: year, RequestsPerUnit: limit}
		}
		return d
	}
	rules, err := anypb.New(&xds.RateLimitConfig{
		Name: "default/eg/http", Domain: "default/eg/http", Descriptors: []*xds.RateLimitDescriptor{
			limited("route", "route", 0, limited("rule-0-match-0", "rule-0-match-0", 2), limited("rule-1-match-0", "", 1),
				limited("masked_remote_address", "127.0.0.0/8", 0, limited("remote_address", "", 20))),
		},
	})
	require.NoError(t, err)
	secure, err := tlsfiles.Server(tlsfiles.Files{Cert: path("gateway.crt"), Key: path("gateway.key"), CA: path("limits.crt")})
	require.NoError(t, err)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	control := grpc.NewServer(grpc.Creds(credentials.NewTLS(secure)))
	discovery.RegisterAggregatedDiscoveryServiceServer(control, &plane{rules: rules})
	go control.Serve(listener)
	t.Cleanup(control.Stop)
	route := "{generic_key: {descriptor_key: route, descriptor_value: route}}"
	g := example{
		Domain: "default/eg/http", Filter: deny + "\n              enable_x_ratelimit_headers: DRAFT_VERSION_03",
		Asks: strings.ReplaceAll(`[
                {actions: [ROUTE, {header_value_match: {descriptor_key: rule-0-match-0, descriptor_value: rule-0-match-0,
                  expect_match: true, headers: [{name: x-plan, string_match: {exact: free}}]}}]},
                {actions: [ROUTE, {request_headers: {header_name: x-user, descriptor_key: rule-1-match-0}}]},
                {actions: [ROUTE, {masked_remote_address: {v4_prefix_mask_len: 8}}, {remote_address: {}}]}]`, "ROUTE", route),
		Cluster: fmt.Sprintf(`transport_socket:
      name: envoy.transport_sockets.tls
      typed_config:
        "@type": type.googleapis.com/envoy.extensions.transport_sockets.tls.v3.UpstreamTlsContext
        common_tls_context:
          tls_certificates: [{certificate_chain: {filename: %s}, private_key: {filename: %s}}]
          validation_context: {trusted_ca: {filename: %s}}`, path("proxy.crt"), path("proxy.key"), path("limits.crt")),
		environ: []string{
			"CONFIG_TYPE=GRPC_XDS_SOTW", "CONFIG_GRPC_XDS_SERVER_URL=" + listener.Addr().String(),
			"CONFIG_GRPC_XDS_NODE_ID=envoy-ratelimit", "FORCE_START_WITHOUT_INITIAL_CONFIG=true",
			"CONFIG_GRPC_XDS_SERVER_USE_TLS=true", "CONFIG_GRPC_XDS_CLIENT_TLS_CERT=" + path("limits.crt"),
			"CONFIG_GRPC_XDS_CLIENT_TLS_KEY=" + path("limits.key"), "CONFIG_GRPC_XDS_SERVER_TLS_CACERT=" + path("gateway.crt"),
			"GRPC_SERVER_USE_TLS=true", "GRPC_SERVER_TLS_CERT=" + path("limits.crt"), "GRPC_SERVER_TLS_KEY=" + path("limits.key"),
			"GRPC_SERVER_TLS_CA_CERT=" + path("proxy.crt"),
		},
	}.start(t)
	g.expect("x-plan: free", 200, 200, 429)
	g.expect("x-plan: paid", 200, 200, 200)
	g.expect("x-user: ann", 200, 429)
	g.expect("x-user: bob", 200, 429)
	status, h, _ := g.get(g.url, "")
	require.Equal(t, 200, status)
	require.Equal(t, "20, 20;w=31536000", h.Get("X-Ratelimit-Limit"))
	require.Equal(t, "9", h.Get("X-Ratelimit-Remaining"))
}
