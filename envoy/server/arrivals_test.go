package server

import (
	"context"
	"log/slog"
	"net"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	ratelimit "github.com/envoyproxy/go-control-plane/envoy/service/ratelimit/v3"
	"github.com/stretchr/testify/require"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	healthpb "google.golang.org/grpc/health/grpc_health_v1"
	reflectionpb "google.golang.org/grpc/reflection/grpc_reflection_v1"
	"google.golang.org/grpc/status"
	"google.golang.org/grpc/test/bufconn"

	"cellserver/envoy/stats"
)

// An ok answers OK.
type ok struct {
	ratelimit.UnimplementedRateLimitServiceServer
}

func (ok) ShouldRateLimit(context.Context, *ratelimit.RateLimitRequest) (*ratelimit.RateLimitResponse, error) {
	return &ratelimit.RateLimitResponse{}, nil
}

// bubble starts the gRPC server where the clock is that of the test, and returns what connects to it.
func bubble(t *testing.T, log *lockedBuffer) (*Server, *Health, func() *grpc.ClientConn) {
	a, l := newArrivals(), bufconn.Listen(1<<20)
	health := NewHealth(func() error { return nil }, false, func() bool { return true })
	s := newGRPC(GRPC{MaxAge: 24 * time.Hour, AgeGrace: time.Hour}, ok{}, health, measure{&stats.NewRegistry().Requests, time.Now}, a)
	go func() { _ = s.Serve(l) }()
	t.Cleanup(s.Stop)
	go a.watch(t.Context(), slog.New(slog.NewTextHandler(log, nil)))
	return &Server{grpc: s, arrivals: a}, health, func() *grpc.ClientConn {
		c, err := grpc.NewClient("passthrough:x", grpc.WithTransportCredentials(insecure.NewCredentials()),
			grpc.WithContextDialer(func(ctx context.Context, _ string) (net.Conn, error) { return l.DialContext(ctx) }))
		require.NoError(t, err)
		t.Cleanup(func() { c.Close() })
		return c
	}
}

// half opens a call that never sends its message.
func half(t *testing.T, c *grpc.ClientConn) grpc.ClientStream {
	s, err := c.NewStream(t.Context(), &grpc.StreamDesc{ClientStreams: true}, ratelimit.RateLimitService_ShouldRateLimit_FullMethodName)
	require.NoError(t, err)
	synctest.Wait()
	return s
}

// A message that is not whole after ten seconds ends its call. Calls with a message go on.
func TestMessagesHaveTenSeconds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		log := &lockedBuffer{}
		server, health, dial := bubble(t, log)
		c := dial()
		watch, err := healthpb.NewHealthClient(c).Watch(t.Context(), &healthpb.HealthCheckRequest{Service: serviceName})
		require.NoError(t, err)
		_, err = watch.Recv()
		require.NoError(t, err)
		asks, err := reflectionpb.NewServerReflectionClient(c).ServerReflectionInfo(t.Context())
		require.NoError(t, err)
		s, begin := half(t, c), time.Now()
		err = s.RecvMsg(&ratelimit.RateLimitResponse{})
		require.Equal(t, codes.DeadlineExceeded, status.Code(err), "%v", err)
		require.InDelta(t, bodyTime.Seconds(), time.Since(begin).Seconds(), 0.3)
		time.Sleep(10 * time.Minute)
		require.Equal(t, 1, strings.Count(log.String(), "only a part of their messages"), log)
		require.Equal(t, 1, server.arrivals.parts.Len(), "a stream may wait for its next message")
		list := &reflectionpb.ServerReflectionRequest_ListServices{}
		require.NoError(t, asks.Send(&reflectionpb.ServerReflectionRequest{MessageRequest: list}))
		_, err = asks.Recv()
		require.NoError(t, err)
		health.stop()
		news, err := watch.Recv()
		require.NoError(t, err, "who watches the health waits for ever")
		require.Equal(t, healthpb.HealthCheckResponse_NOT_SERVING, news.GetStatus())
		_, err = ratelimit.NewRateLimitServiceClient(c).ShouldRateLimit(t.Context(), &ratelimit.RateLimitRequest{})
		require.NoError(t, err)
	})
}

// While many messages are not whole, the oldest have a second, and new calls go on.
func TestManyMessagesThatAreNotWhole(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server, _, dial := bubble(t, &lockedBuffer{})
		a := server.arrivals
		full, c := dial(), dial()
		for range manyArrive {
			half(t, full)
		}
		time.Sleep(5 * time.Second)
		require.Equal(t, manyArrive, a.parts.Len(), "each has ten seconds")
		last := half(t, c)
		time.Sleep(500 * time.Millisecond)
		synctest.Wait()
		require.Equal(t, manyArrive, a.parts.Len(), "the oldest makes room")
		_, err := ratelimit.NewRateLimitServiceClient(c).ShouldRateLimit(t.Context(), &ratelimit.RateLimitRequest{})
		require.NoError(t, err)
		require.NoError(t, last.SendMsg(&ratelimit.RateLimitRequest{}))
		require.NoError(t, last.CloseSend())
		require.NoError(t, last.RecvMsg(&ratelimit.RateLimitResponse{}), "a slow one is answered")
	})
}

// Beyond ten thousand, the oldest makes room at once.
func TestMessagesThatAreNotWholeAreBounded(t *testing.T) {
	a := newArrivals()
	first, err := a.tap(t.Context(), nil)
	require.NoError(t, err)
	second, err := a.tap(t.Context(), nil)
	require.NoError(t, err)
	for range mostArrive - 1 {
		_, err := a.tap(t.Context(), nil)
		require.NoError(t, err)
	}
	require.Equal(t, mostArrive, a.parts.Len())
	require.ErrorIs(t, first.Err(), context.DeadlineExceeded)
	require.NoError(t, second.Err())
}
