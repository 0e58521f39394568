package app

import (
	"bytes"
	"context"
	"log/slog"
	"strconv"
	"sync"
	"testing"
	"time"

	"cellserver/cmd/cellserver/logline"
	"cellserver/internal/config/configload"
	"cellserver/internal/porttest"
	"cellserver/resp/resptest"

	"github.com/stretchr/testify/require"
)

// timeout bounds each wait of a test. It only ends a test that hangs.
const timeout = time.Minute

// instance is a server that runs in the test's process.
type instance struct {
	*App
	log *safeBuffer
	// greeted has what a person who starts the server would read.
	greeted safeBuffer
	stop    context.CancelFunc
	done    chan error
}

// start runs a server with directives as on the command line until the test ends, and returns when it has its data. Without a
// directive for the port it listens on a free one.
func start(t testing.TB, directives ...string) *instance {
	t.Helper()
	in, err := open(t, directives...)
	require.NoError(t, err)
	in.run(t)
	in.waitServing(t)
	return in
}

// waitServing waits until the server has its data. A client before that may get LOADING, if the disk is slow.
func (in *instance) waitServing(t testing.TB) {
	t.Helper()
	require.Eventually(t, func() bool { return in.phase.Load() == serving }, timeout, time.Millisecond)
}

// open makes a server that does not run yet. Without directives of persistence it keeps nothing on disk.
func open(t testing.TB, directives ...string) (*instance, error) {
	t.Helper()
	args := append([]string{"--port", strconv.Itoa(porttest.Free(t)), "--bind", "127.0.0.1", "--enable-debug-command", "yes", "--dir", t.TempDir(), "--save", "", "--appendonly", "no"}, directives...)
	cfg, warnings, err := configload.Load(args, nil, nil)
	require.NoError(t, err)
	in := &instance{log: &safeBuffer{}, done: make(chan error, 1)}
	level := &slog.HandlerOptions{Level: slog.LevelDebug, ReplaceAttr: logline.Levels}
	in.App, err = New(Options{
		Config: cfg, Warnings: warnings, Log: slog.New(slog.NewTextHandler(in.log, level)),
		Greet: func(text string) { in.greeted.Write([]byte(text)) },
	})
	return in, err
}

func (in *instance) run(t testing.TB) {
	ctx, stop := context.WithCancel(context.Background())
	in.stop = stop
	go func() { in.done <- in.Run(ctx) }()
	t.Cleanup(func() {
		stop()
		in.wait(t)
	})
}

// wait waits for the end of Run. It can be called again.
func (in *instance) wait(t testing.TB) {
	t.Helper()
	select {
	case err := <-in.done:
		require.NoError(t, err)
		in.done <- nil
	case <-time.After(timeout):
		t.Fatal("the server does not stop")
	}
}

func (in *instance) dial(t testing.TB) *resptest.Client {
	t.Helper()
	return resptest.Dial(t, in.Addr().String())
}

// pending returns how many bytes of replies wait for clients.
func (in *instance) pending() (n int) {
	for _, c := range in.transport.Conns() {
		n += c.Pending()
	}
	return n
}

// requireClosed requires that the server closes a connection without a further reply.
func requireClosed(t *testing.T, c *resptest.Client) {
	t.Helper()
	_, err := c.TryRecv()
	require.Error(t, err)
}

// ok sends a command and requires the reply OK.
func ok(t testing.TB, c *resptest.Client, args ...any) {
	t.Helper()
	require.Equal(t, resptest.Simple("OK"), c.Do(args...))
}

// safeBuffer is a log that can be read while the server writes it.
type safeBuffer struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (b *safeBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.Write(p)
}

func (b *safeBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.String()
}
