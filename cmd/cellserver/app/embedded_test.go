package app

import (
	"context"
	"log/slog"
	"testing"

	"cellserver/internal/config/configload"
	"cellserver/resp"

	"github.com/stretchr/testify/require"
)

// TestEmbedded: a server without listeners answers the program that carries it, and keeps its data.
func TestEmbedded(t *testing.T) {
	dir := t.TempDir()
	for want := int64(1); want <= 2; want++ {
		cfg, _, err := configload.Load([]string{"--dir", dir, "--appendonly", "yes"}, nil, nil)
		require.NoError(t, err)
		ready := make(chan string, 2)
		a, err := New(Options{
			Config: cfg, Log: slog.New(slog.DiscardHandler), Embedded: true,
			Notify: func(state string) error { ready <- state; return nil },
		})
		require.NoError(t, err)
		require.Empty(t, a.sockets.Addresses())
		ctx, stop := context.WithCancel(context.Background())
		done := make(chan error, 1)
		go func() { done <- a.Run(ctx) }()
		require.Equal(t, "READY=1", <-ready)
		count := int64(0)
		require.NoError(t, a.Commands().Do(ctx, []string{"INCR", "k"}, func(r resp.Reply) { count = r.Int() }))
		require.Equal(t, want, count)
		stop()
		require.NoError(t, <-done)
	}
}
