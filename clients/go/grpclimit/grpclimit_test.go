package grpclimit

import (
	"context"
	"errors"
	"net"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"cellserver/clients/go/internal/testserver"
	"cellserver/clients/go/ratelimit"

	"github.com/redis/go-redis/v9"
	"github.com/stretchr/testify/require"
	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/health"
	health_v1 "google.golang.org/grpc/health/grpc_health_v1"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"
)

// connect starts a server of limits whose clock stands still.
func connect(t *testing.T) *redis.Client {
	t.Helper()
	rdb, err := ratelimit.Connect(testserver.Start(t).URL)
	require.NoError(t, err)
	t.Cleanup(func() { _ = rdb.Close() })
	require.NoError(t, rdb.Do(t.Context(), "DEBUG", "CLOCK", "SET", 1_800_000_000_000_000_000).Err())
	return rdb
}

// startService starts a gRPC service behind the interceptors, and returns a client of it.
func startService(t *testing.T, l *ratelimit.Limiter, rules ...Rule) health_v1.HealthClient {
	t.Helper()
	return serve(t, grpc.UnaryInterceptor(Unary(l, rules...)), grpc.StreamInterceptor(Stream(l, rules...)))
}

// serve starts a gRPC service with options, and returns a client of it.
func serve(t *testing.T, options ...grpc.ServerOption) health_v1.HealthClient {
	t.Helper()
	return dial(t, listen(t, options...))
}

// listen starts a gRPC service with options, and returns its address.
func listen(t *testing.T, options ...grpc.ServerOption) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	service := grpc.NewServer(options...)
	health_v1.RegisterHealthServer(service, health.NewServer())
	go func() { _ = service.Serve(listener) }()
	t.Cleanup(service.Stop)
	return listener.Addr().String()
}

// dial returns a client of a service.
func dial(t *testing.T, address string, options ...grpc.DialOption) health_v1.HealthClient {
	t.Helper()
	options = append(options, grpc.WithTransportCredentials(insecure.NewCredentials()))
	conn, err := grpc.NewClient(address, options...)
	require.NoError(t, err)
	t.Cleanup(func() { _ = conn.Close() })
	return health_v1.NewHealthClient(conn)
}

// unary and stream call the service, and return the header of the reply.
func unary(t *testing.T, c health_v1.HealthClient) (header metadata.MD, err error) {
	_, err = c.Check(t.Context(), &health_v1.HealthCheckRequest{}, grpc.Header(&header))
	return header, err
}

func stream(t *testing.T, c health_v1.HealthClient) (metadata.MD, error) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	s, err := c.Watch(ctx, &health_v1.HealthCheckRequest{})
	require.NoError(t, err)
	_, err = s.Recv()
	header, headerErr := s.Header()
	require.NoError(t, headerErr)
	return header, err
}

func TestCalls(t *testing.T) {
	rdb := connect(t)
	require.NoError(t, rdb.Do(t.Context(), "CL.RULE", "SET", "api", "CL.THROTTLE", 2, 1, 10).Err())
	l, err := ratelimit.New(rdb, ratelimit.Options{Timeout: time.Minute, Denials: -1})
	require.NoError(t, err)
	for name, call := range map[string]func(*testing.T, health_v1.HealthClient) (metadata.MD, error){"unary": unary, "stream": stream} {
		t.Run(name, func(t *testing.T) {
			byMethod := func(ctx context.Context, method string) string { return Address(ctx, method) + method }
			c := startService(t, l, Rule{"api", byMethod})
			for i := range 3 {
				header, err := call(t, c)
				require.NoError(t, err)
				require.Equal(t, []string{`"api";q=3;w=30`}, header.Get("ratelimit-policy"))
				require.Equal(t, []string{[]string{`"api";r=2;t=10`, `"api";r=1;t=20`, `"api";r=0;t=30`}[i]}, header.Get("ratelimit"))
			}
			requireRefused(t, c, call)
			require.NoError(t, rdb.Do(t.Context(), "DEBUG", "CLOCK", "ADVANCE", (10*time.Second).Nanoseconds()).Err())
			_, err := call(t, c)
			require.NoError(t, err)
		})
	}
	keys, err := rdb.Keys(t.Context(), "api:*").Result()
	require.NoError(t, err)
	require.ElementsMatch(t, []string{"api:{127.0.0.1/grpc.health.v1.Health/Check}:throttle", "api:{127.0.0.1/grpc.health.v1.Health/Watch}:throttle"}, keys)
}

// TestCosts has calls and streams that take a quantity.
func TestCosts(t *testing.T) {
	rdb := connect(t)
	require.NoError(t, rdb.Do(t.Context(), "CL.RULE", "SET", "api", "CL.WINDOW", 100, 60).Err())
	l, err := ratelimit.New(rdb, ratelimit.Options{Timeout: time.Minute})
	require.NoError(t, err)
	ask := func(cost Cost) error {
		_, err := UnaryWithCost(l, cost, Rule{"api", Address})(t.Context(), "request", &grpc.UnaryServerInfo{}, func(context.Context, any) (any, error) { return nil, nil })
		return err
	}
	size := func(_ context.Context, _ string, request any) int64 { return int64(len(request.(string))) * 10 }
	require.NoError(t, ask(size))
	require.Equal(t, codes.ResourceExhausted, status.Code(ask(size)))
	require.NoError(t, ask(one))
	require.Equal(t, codes.Internal, status.Code(ask(func(context.Context, string, any) int64 { return -1 })))
	_, err = Unary(l)(t.Context(), "request", &grpc.UnaryServerInfo{}, nil)
	require.Equal(t, codes.Internal, status.Code(err), "without a rule")

	thirty := func(_ context.Context, _ string, request any) int64 {
		require.Nil(t, request)
		return 30
	}
	c := serve(t, grpc.StreamInterceptor(StreamWithCost(l, thirty, Rule{"api", Address})))
	header, err := stream(t, c)
	require.NoError(t, err)
	require.Equal(t, []string{`"api";r=70;t=60`}, header.Get("ratelimit"))
}

func requireRefused(t *testing.T, c health_v1.HealthClient, call func(*testing.T, health_v1.HealthClient) (metadata.MD, error)) {
	t.Helper()
	header, err := call(t, c)
	refusal := status.Convert(err)
	require.Equal(t, codes.ResourceExhausted, refusal.Code())
	require.Equal(t, []string{"10"}, header.Get("retry-after"))
	require.Equal(t, []string{`"api";r=0;t=10`}, header.Get("ratelimit"))
	require.Len(t, refusal.Details(), 1)
	require.Equal(t, 10*time.Second, refusal.Details()[0].(*errdetails.RetryInfo).RetryDelay.AsDuration())
}

// TestNoDecision has no server at all.
func TestNoDecision(t *testing.T) {
	rdb, err := ratelimit.Connect("unix://" + filepath.Join(t.TempDir(), "nobody"))
	require.NoError(t, err)
	defer rdb.Close()
	var failures []error
	options := ratelimit.Options{OnError: func(err error) { failures = append(failures, err) }}
	for _, closed := range []bool{false, true} {
		options.FailClosed = closed
		l, err := ratelimit.New(rdb, options)
		require.NoError(t, err)
		c := startService(t, l, Rule{"api", Address})
		for _, call := range []func(*testing.T, health_v1.HealthClient) (metadata.MD, error){unary, stream} {
			_, err := call(t, c)
			if closed {
				require.Equal(t, codes.Unavailable, status.Code(err))
			} else {
				require.NoError(t, err)
			}
		}
	}
	require.Len(t, failures, 4)
	for _, err := range failures {
		var netErr *net.OpError
		require.True(t, errors.As(err, &netErr) || strings.Contains(err.Error(), "context deadline exceeded"), err.Error())
	}
}
