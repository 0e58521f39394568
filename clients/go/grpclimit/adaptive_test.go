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
