package picture

import (
	"context"
	"flag"
	"log/slog"
	"os"
	"strconv"
	"testing"

	"cellserver/cmd/cellserver/app"
	"cellserver/internal/config/configload"
	"cellserver/internal/porttest"
	"cellserver/resp/resptest"

	"github.com/stretchr/testify/require"
)

var update = flag.Bool("update", false, "write docs/limiters.svg instead of comparing it")

const file = "../../docs/limiters.svg"

func TestPictureIsCurrent(t *testing.T) {
	c := resptest.Dial(t, startServer(t))
	outcomes := make([][]outcome, len(rows))
	for i, r := range rows {
		var err error
		outcomes[i], err = r.ask(c)
		require.NoError(t, err)
	}
	svg := draw(outcomes)
	if *update {
		require.NoError(t, os.WriteFile(file, []byte(svg), 0o644))
	}
	before, err := os.ReadFile(file)
	require.NoError(t, err)
	require.True(t, svg == string(before), "docs/limiters.svg is out of date: go generate ./tests/picture")

	// These two numbers are the point of the picture.
	inTen := map[string]int{}
	for i, r := range rows {
		inTen[r.command] = most(outcomes[i], 10_000)
	}
	require.Equal(t, 10, inTen["CL.WINDOW k 5 10 ALIGN"], "twice the limit around an edge")
	require.Equal(t, 5, inTen["CL.LOG k 5 10"], "never more than the limit")
}

// startServer runs a whole server in this process, until the test ends.
func startServer(t *testing.T) (address string) {
	port := porttest.Free(t)
	cfg, _, err := configload.Load([]string{"--port", strconv.Itoa(port), "--bind", "127.0.0.1", "--enable-debug-command", "local",
		"--appendonly", "no", "--save", ""}, nil, nil)
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
