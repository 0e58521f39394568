package tests

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"cellserver/cmd/cellserver/app"
	"cellserver/internal/config/configload"
	"cellserver/internal/porttest"
	"cellserver/resp/resptest"

	"github.com/stretchr/testify/require"
)

// startServer runs a whole server in this process, on a free port, until the test ends. The directives are those of the
// command line. It returns the address.
func startServer(t testing.TB, directives ...string) string {
	t.Helper()
	args := append([]string{"--port", strconv.Itoa(porttest.Free(t)), "--bind", "127.0.0.1", "--enable-debug-command", "yes", "--save", "", "--appendonly", "no"}, directives...)
	cfg, _, err := configload.Load(args, nil, nil)
	require.NoError(t, err)
	a, err := app.New(app.Options{Config: cfg, Log: slog.New(slog.DiscardHandler)})
	require.NoError(t, err)
	ctx, stop := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- a.Run(ctx) }()
	t.Cleanup(func() {
		stop()
		require.NoError(t, <-done)
	})
	return a.Addr().String()
}

// root returns the module's folder, the parent of this package.
func root(t *testing.T) string {
	t.Helper()
	dir, err := filepath.Abs("..")
	require.NoError(t, err)
	return dir
}

// seed returns the seed of a random test, SEED or a new one, and logs it.
func seed(t testing.TB) int64 {
	n := time.Now().UnixNano()
	if s := os.Getenv("SEED"); s != "" {
		var err error
		n, err = strconv.ParseInt(s, 10, 64)
		require.NoError(t, err)
	}
	t.Logf("SEED=%d", n)
	return n
}

// throttle sends one CL.THROTTLE and reports whether the server allowed it.
func throttle(t testing.TB, c *resptest.Client, key string, burst, count, period int) bool {
	reply := c.Do("CL.THROTTLE", key, burst, count, period)
	five, ok := reply.([]any)
	if !ok || len(five) != 5 {
		t.Errorf("CL.THROTTLE: %v", reply)
		return false
	}
	return five[0] == int64(0)
}

func setClock(t testing.TB, c *resptest.Client, unixNano int64) {
	require.Equal(t, resptest.Simple("OK"), c.Do("DEBUG", "CLOCK", "SET", fmt.Sprint(unixNano)))
}
