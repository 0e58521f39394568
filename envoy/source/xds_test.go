package source

import (
	"context"
	"net"
	"testing"
	"time"

	discovery "github.com/envoyproxy/go-control-plane/envoy/service/discovery/v3"
	xds "github.com/envoyproxy/go-control-plane/ratelimit/config/ratelimit/v3"
	"github.com/stretchr/testify/require"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/metadata"
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/types/known/anypb"
)

// A management server sends what a test tells it, and shows what it was asked.
type management struct {
	discovery.UnimplementedAggregatedDiscoveryServiceServer
	asked   chan *discovery.DiscoveryRequest
	headers chan metadata.MD
	send    chan *discovery.DiscoveryResponse
	hangUp  chan struct{}
}

func (m *management) StreamAggregatedResources(s discovery.AggregatedDiscoveryService_StreamAggregatedResourcesServer) error {
	md, _ := metadata.FromIncomingContext(s.Context())
	m.headers <- md
	go func() {
		for {
			r, err := s.Recv()
			if err != nil {
				return
			}
			m.asked <- r
		}
	}()
	for {
		select {
		case <-m.hangUp:
			return nil
		case r := <-m.send:
			if err := s.Send(r); err != nil {
				return err
			}
		case <-s.Context().Done():
			return nil
		}
	}
}

// subscribe runs a loader that asks a management server.
func subscribe(t *testing.T, change ...func(*harness)) (*harness, *management) {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	m := &management{
		asked: make(chan *discovery.DiscoveryRequest, 100), headers: make(chan metadata.MD, 100),
		send: make(chan *discovery.DiscoveryResponse), hangUp: make(chan struct{}),
	}
	server := grpc.NewServer()
	discovery.RegisterAggregatedDiscoveryServiceServer(server, m)
	go server.Serve(listener)
	connection, err := grpc.NewClient(listener.Addr().String(), grpc.WithTransportCredentials(insecure.NewCredentials()))
	require.NoError(t, err)
	h := newHarness(t)
	for _, c := range change {
		c(h)
	}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() {
		defer close(done)
		if err := h.Subscribe(ctx, Server{
			Connection: connection, Node: "node1", Metadata: map[string]string{"zone": "a"},
			Headers: map[string]string{"x-token": "secret"}, FirstWait: time.Millisecond, LongestWait: 10 * time.Millisecond,
			Now: h.now,
		}); err != nil {
			t.Error(err)
		}
	}()
	t.Cleanup(func() { cancel(); <-done; connection.Close(); server.Stop() })
	return h, m
}

func response(t *testing.T, version, nonce string, all ...*xds.RateLimitConfig) *discovery.DiscoveryResponse {
	t.Helper()
	r := &discovery.DiscoveryResponse{VersionInfo: version, Nonce: nonce, TypeUrl: rulesType}
	for _, rules := range all {
		resource, err := anypb.New(rules)
		require.NoError(t, err)
		r.Resources = append(r.Resources, resource)
	}
	return r
}

func message(domain string, unit xds.RateLimitUnit) *xds.RateLimitConfig {
	return &xds.RateLimitConfig{Name: "name-" + domain, Domain: domain, Descriptors: []*xds.RateLimitDescriptor{{
		Key: "a", RateLimit: &xds.RateLimitPolicy{Unit: unit, RequestsPerUnit: 5},
	}}}
}

func TestRulesOfAServerAreAcknowledgedOrRefused(t *testing.T) {
	h, m := subscribe(t)
	require.Equal(t, []string{"secret"}, (<-m.headers).Get("x-token"))
	first := <-m.asked
	require.Equal(t, rulesType, first.GetTypeUrl())
	require.Equal(t, "node1", first.GetNode().GetId())
	require.Equal(t, "a", first.GetNode().GetMetadata().AsMap()["zone"])
	require.Empty(t, first.GetVersionInfo()+first.GetResponseNonce())

	m.send <- response(t, "1", "n1", message("one", xds.RateLimitUnit_HOUR), message("week", 7))
	ack := <-m.asked
	require.Equal(t, "1", ack.GetVersionInfo())
	require.Equal(t, "n1", ack.GetResponseNonce())
	require.Nil(t, ack.GetErrorDetail())
	require.True(t, h.set.Load().HasDomain("one"))
	require.Equal(t, "WEEK", h.set.Load().Rules[1].Limit.GetUnit().String())

	m.send <- response(t, "2", "n2", message("two", xds.RateLimitUnit_UNKNOWN))
	nack := <-m.asked
	require.Equal(t, "1", nack.GetVersionInfo(), "the last good version")
	require.Equal(t, "n2", nack.GetResponseNonce())
	require.Equal(t, "name-two: invalid rate limit unit 'UNKNOWN'", nack.GetErrorDetail().GetMessage())
	require.True(t, h.set.Load().HasDomain("one"))
	require.EqualValues(t, 1, h.bad.Value())

	bad := response(t, "3", "n3", message("two", xds.RateLimitUnit_HOUR))
	bad.TypeUrl = "type.googleapis.com/other"
	m.send <- bad
	require.Contains(t, (<-m.asked).GetErrorDetail().GetMessage(), "resources of type")

	m.hangUp <- struct{}{}
	<-m.headers
	again := <-m.asked
	require.Equal(t, "1", again.GetVersionInfo())
	require.Empty(t, again.GetResponseNonce(), "a new stream has no nonce")
	require.True(t, h.set.Load().HasDomain("one"), "the rules stay while the server is away")

	m.send <- response(t, "4", "n4")
	require.Equal(t, "4", (<-m.asked).GetVersionInfo())
	require.False(t, h.set.Load().HasDomains())
}

// The field is newer than the released form of the message.
func TestQuotaModeIsRead(t *testing.T) {
	h, m := subscribe(t)
	rules := message("one", xds.RateLimitUnit_DAY)
	d := rules.GetDescriptors()[0]
	d.ProtoReflect().SetUnknown(protowire.AppendVarint(protowire.AppendTag(nil, 7, protowire.VarintType), 1))
	d.ShadowMode, d.DetailedMetric = true, true
	m.send <- response(t, "1", "n1", rules)
	h.eventually(t, "one")
	modes := h.set.Load().Rules[0].Modes
	require.True(t, modes.Quota && modes.Shadow && modes.DetailedMetric)
}

// A server that repeats bad rules must not make the service spin.
func TestAServerThatRepeatsBadRulesIsSlowedDown(t *testing.T) {
	h, m := subscribe(t)
	<-m.headers // the loader is connected
	begin, deadline := time.Now(), time.After(300*time.Millisecond)
	for done := false; !done; {
		select {
		case m.send <- response(t, "1", "n", message("", 1)):
		case <-deadline:
			done = true
		}
	}
	require.Eventually(t, func() bool { return h.bad.Value() > 0 }, time.Minute, time.Millisecond)
	require.Less(t, float64(h.bad.Value()), 10*max(1, time.Since(begin).Seconds()/0.3))
}
