package grpclimit

import (
	"context"
	"errors"
	"testing"
	"time"

	"cellserver/clients/go/adaptive"
	"cellserver/clients/go/internal/testserver"
	"cellserver/clients/go/ratelimit"

	"github.com/stretchr/testify/require"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	health_v1 "google.golang.org/grpc/health/grpc_health_v1"
	"google.golang.org/grpc/status"
)

// TestAdaptive: both interceptors refuse at the limit, and report how calls end.
func TestAdaptive(t *testing.T) {
	rdb, err := ratelimit.Connect(testserver.Start(t).URL)
	require.NoError(t, err)
	for _, c := range []struct {
		key   string
		err   error
		limit int64
	}{
		{"ok", nil, 11}, {"late", status.Error(codes.DeadlineExceeded, ""), 9}, {"full", status.Error(codes.Unavailable, ""), 9},
		{"wrong", status.Error(codes.InvalidArgument, ""), 10}, {"broken", errors.New("broken"), 11},
		{"deadline", context.DeadlineExceeded, 9},
	} {
		l, err := adaptive.New(rdb, c.key, adaptive.Options{Timeout: time.Minute, Words: []any{"AIMD", 100, "WINDOW", 0, "START", 10, "BETWEEN", 1, 20}})
		require.NoError(t, err)
		var held []*adaptive.Call
		for range 9 {
			call, err := l.Enter(t.Context())
			require.NoError(t, err)
			held = append(held, call)
		}
		server := func() error {
			_, err := AdaptiveServer(l)(t.Context(), nil, nil, func(context.Context, any) (any, error) { return nil, c.err })
			return err
		}
		require.Equal(t, c.err, server())
		reply, err := rdb.Do(t.Context(), "CL.LIMIT", c.key).Result()
		require.NoError(t, err)
		require.Equal(t, c.limit, reply.(map[any]any)["limit"], c.key)
		for len(held) < int(c.limit) {
			call, err := l.Enter(t.Context())
			require.NoError(t, err)
			held = append(held, call)
		}
		invoke := func(context.Context, string, any, any, *grpc.ClientConn, ...grpc.CallOption) error { return nil }
		require.Equal(t, codes.ResourceExhausted, status.Code(AdaptiveClient(l)(t.Context(), "/m", nil, nil, nil, invoke)))
		for _, call := range held[:2] {
			call.Leave(adaptive.Ignore)
		}
		require.NoError(t, AdaptiveClient(l)(t.Context(), "/m", nil, nil, nil, invoke))
	}
}

// TestAdaptiveStreams: on both sides a stream is one call from its begin to its end, and its code says how
// it has ended.
func TestAdaptiveStreams(t *testing.T) {
	rdb, err := ratelimit.Connect(testserver.Start(t).URL)
	require.NoError(t, err)
	newLimit := func(key string) *adaptive.Limit {
		words := []any{"WINDOW", 60, "BETWEEN", 1, 1}
		l, err := adaptive.New(rdb, key, adaptive.Options{Timeout: time.Minute, Words: words})
		require.NoError(t, err)
		return l
	}
	ends := make(chan error)
	handle := func(_ any, s grpc.ServerStream, _ *grpc.StreamServerInfo, _ grpc.StreamHandler) error {
		require.NoError(t, s.SendMsg(&health_v1.HealthCheckResponse{}))
		select {
		case err := <-ends:
			return err
		case <-s.Context().Done():
			return s.Context().Err()
		}
	}
	address := listen(t, grpc.ChainStreamInterceptor(AdaptiveStreamServer(newLimit("server")), handle))
	limited := dial(t, address, grpc.WithStreamInterceptor(AdaptiveStreamClient(newLimit("client"))))
	counts := func(key string) (all [3]int64) {
		reply, err := rdb.Do(context.Background(), "CL.LIMIT", key).Result()
		require.NoError(t, err)
		for i, field := range []string{"inflight", "samples", "drops"} {
			all[i] = reply.(map[any]any)[field].(int64)
		}
		return all
	}
	samples, drops := int64(0), int64(0)
	for _, one := range []struct {
		err            error
		samples, drops int64
	}{
		{nil, 1, 0}, {status.Error(codes.Internal, ""), 1, 0}, {status.Error(codes.Unavailable, ""), 1, 1},
		{status.Error(codes.NotFound, ""), 0, 0}, {context.DeadlineExceeded, 1, 1}, {context.Canceled, 0, 0},
	} {
		ctx, cancel := context.WithCancel(t.Context())
		s, err := limited.Watch(ctx, &health_v1.HealthCheckRequest{})
		require.NoError(t, err)
		_, err = s.Recv()
		require.NoError(t, err)
		require.Equal(t, [3]int64{1, samples, drops}, counts("client"))
		require.Equal(t, [3]int64{1, samples, drops}, counts("server"))
		_, err = limited.Watch(ctx, &health_v1.HealthCheckRequest{})
		require.Equal(t, codes.ResourceExhausted, status.Code(err))
		_, err = stream(t, dial(t, address))
		require.Equal(t, codes.ResourceExhausted, status.Code(err))
		if errors.Is(one.err, context.Canceled) {
			cancel()
		} else {
			ends <- one.err
		}
		_, err = s.Recv()
		require.Error(t, err)
		samples, drops = samples+one.samples, drops+one.drops
		for _, key := range []string{"client", "server"} {
			require.Eventually(t, func() bool { return counts(key)[0] == 0 }, time.Minute, time.Millisecond)
			require.Equal(t, [3]int64{0, samples, drops}, counts(key), "%s %v", key, one.err)
		}
		cancel()
	}
}

// TestAdaptiveStreamDoesNotOpen: such a stream holds no permit.
func TestAdaptiveStreamDoesNotOpen(t *testing.T) {
	rdb, err := ratelimit.Connect(testserver.Start(t).URL)
	require.NoError(t, err)
	l, err := adaptive.New(rdb, "k", adaptive.Options{Timeout: time.Minute, Words: []any{"BETWEEN", 1, 1}})
	require.NoError(t, err)
	no := status.Error(codes.NotFound, "")
	open := func(
		context.Context, *grpc.StreamDesc, *grpc.ClientConn, string, ...grpc.CallOption,
	) (grpc.ClientStream, error) {
		return nil, no
	}
	for range 3 {
		_, err = AdaptiveStreamClient(l)(t.Context(), nil, nil, "/m", open)
		require.Equal(t, no, err)
	}
}
