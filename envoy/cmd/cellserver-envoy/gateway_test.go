package main

import (
	"context"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	common "github.com/envoyproxy/go-control-plane/envoy/extensions/common/ratelimit/v3"
	discovery "github.com/envoyproxy/go-control-plane/envoy/service/discovery/v3"
	ratelimit "github.com/envoyproxy/go-control-plane/envoy/service/ratelimit/v3"
	xds "github.com/envoyproxy/go-control-plane/ratelimit/config/ratelimit/v3"
	"github.com/stretchr/testify/require"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials"
	"google.golang.org/protobuf/types/known/anypb"

	"cellserver/envoy/tlsfiles"
	"cellserver/internal/certtest"
)

// A gateway is the control plane of Envoy Gateway: it sends one set of rules to each stream.
type gateway struct {
	discovery.UnimplementedAggregatedDiscoveryServiceServer
	asked chan *discovery.DiscoveryRequest
}

func (g *gateway) StreamAggregatedResources(s discovery.AggregatedDiscoveryService_StreamAggregatedResourcesServer) error {
	rules := func(name string, unit xds.RateLimitUnit) *xds.RateLimitDescriptor {
		return &xds.RateLimitDescriptor{Key: name, Value: name, Descriptors: []*xds.RateLimitDescriptor{{
			Key: "rule-0-match-0", Value: "rule-0-match-0", RateLimit: &xds.RateLimitPolicy{Unit: unit, RequestsPerUnit: 2},
		}}}
	}
	// xds.RateLimitUnit has no name for a year. A day may end during the test.
	const year = xds.RateLimitUnit(ratelimit.RateLimitResponse_RateLimit_YEAR)
	resource, err := anypb.New(&xds.RateLimitConfig{
		Name: "default/eg/http", Domain: "default/eg/http",
		Descriptors: []*xds.RateLimitDescriptor{rules("httproute/default/one", year)},
	})
	if err != nil {
		return err
	}
	for first := true; ; first = false {
		r, err := s.Recv()
		if err != nil {
			return nil
		}
		g.asked <- r
		if first {
			if err := s.Send(&discovery.DiscoveryResponse{
				VersionInfo: "7", Nonce: "n", TypeUrl: r.GetTypeUrl(), Resources: []*anypb.Any{resource},
			}); err != nil {
				return err
			}
		}
	}
}

// Envoy Gateway sets these variables, with certificates in one folder, and changes only the image.
func TestTheVariablesOfEnvoyGateway(t *testing.T) {
	certs := t.TempDir()
	for _, name := range []string{"gateway", "limits", "envoy"} {
		certtest.New(t, certs, name)
	}
	path := func(name string) string { return filepath.Join(certs, name) }
	secure, err := tlsfiles.Server(tlsfiles.Files{Cert: path("gateway.crt"), Key: path("gateway.key"), CA: path("limits.crt")})
	require.NoError(t, err)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	g := &gateway{asked: make(chan *discovery.DiscoveryRequest, 100)}
	control := grpc.NewServer(grpc.Creds(credentials.NewTLS(secure)))
	discovery.RegisterAggregatedDiscoveryServiceServer(control, g)
	go control.Serve(listener)
	t.Cleanup(control.Stop)
	mapper := filepath.Join(certs, "mapper.yaml")
	require.NoError(t, os.WriteFile(mapper, []byte(`
mappings:
  - match: "ratelimit.service.rate_limit.*.*.*.total_hits"
    name: "hits"
    timer_type: "histogram"
    labels: {domain: "$1", key1: "$2", key2: "$3"}
`), 0o644))

	p := start(t, map[string]string{
		"CONFIG_TYPE": "GRPC_XDS_SOTW", "CONFIG_GRPC_XDS_SERVER_URL": listener.Addr().String(),
		"CONFIG_GRPC_XDS_NODE_ID": "envoy-ratelimit", "FORCE_START_WITHOUT_INITIAL_CONFIG": "true",
		"CONFIG_GRPC_XDS_SERVER_USE_TLS": "true", "CONFIG_GRPC_XDS_CLIENT_TLS_CERT": path("limits.crt"),
		"CONFIG_GRPC_XDS_CLIENT_TLS_KEY": path("limits.key"), "CONFIG_GRPC_XDS_SERVER_TLS_CACERT": path("gateway.crt"),
		"GRPC_SERVER_USE_TLS": "true", "GRPC_SERVER_TLS_CERT": path("limits.crt"),
		"GRPC_SERVER_TLS_KEY": path("limits.key"), "GRPC_SERVER_TLS_CA_CERT": path("envoy.crt"),
		"PROMETHEUS_MAPPER_YAML": mapper, "REDIS_SOCKET_TYPE": "tcp", "REDIS_URL": "",
	})
	require.Equal(t, "envoy-ratelimit", (<-g.asked).GetNode().GetId())
	ack := <-g.asked
	require.Equal(t, "7", ack.GetVersionInfo())
	require.Nil(t, ack.GetErrorDetail())
	require.Contains(t, p.get(t, p.debug, "/rlconfig"), "default/eg/http.httproute/default/one_httproute/default/one.rule-0-match-0")

	client, err := tlsfiles.Client(tlsfiles.Files{CA: path("limits.crt")})
	require.NoError(t, err)
	c, err := grpc.NewClient(p.grpc, grpc.WithTransportCredentials(credentials.NewTLS(client)))
	require.NoError(t, err)
	defer c.Close()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	for i, want := range []string{"OK", "OK", "OVER_LIMIT"} {
		r, err := ratelimit.NewRateLimitServiceClient(c).ShouldRateLimit(ctx, &ratelimit.RateLimitRequest{
			Domain: "default/eg/http", Descriptors: []*common.RateLimitDescriptor{{
				Entries: []*common.RateLimitDescriptor_Entry{
					{Key: "httproute/default/one", Value: "httproute/default/one"},
					{Key: "rule-0-match-0", Value: "rule-0-match-0"},
				},
			}},
		})
		require.NoError(t, err, i)
		require.Equal(t, want, r.GetOverallCode().String(), i)
	}
	require.True(t, strings.Contains(p.get(t, p.metrics, "/metrics"), "hits{domain="), p.logged)
	require.Contains(t, p.logged.String(), "GRPC_SERVER_TLS_CA_CERT is accepted")
}
