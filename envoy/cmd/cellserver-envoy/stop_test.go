package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	sdk "go.opentelemetry.io/otel/sdk/trace"

	"cellserver/envoy/stats"
)

// A hangingSink takes metrics of nobody, as a statsd that is away.
type hangingSink struct{ released chan struct{} }

func (hangingSink) FlushCounter(string, uint64) {}
func (hangingSink) FlushGauge(string, uint64)   {}
func (hangingSink) FlushTimer(string, float64)  {}
func (s hangingSink) Flush()                    { <-s.released }

// TestTheEndDoesNotWaitForAStatsdThatIsAway: a sink that hangs costs a second, also if it hangs already.
func TestTheEndDoesNotWaitForAStatsdThatIsAway(t *testing.T) {
	for _, after := range []time.Duration{0, 90 * time.Second} {
		synctest.Test(t, func(t *testing.T) {
			ctx, cancel := context.WithTimeout(t.Context(), after)
			defer cancel()
			sink := hangingSink{make(chan struct{})}
			time.AfterFunc(time.Hour, func() { close(sink.released) })
			begin := time.Now()
			flush(ctx, stats.NewRegistry(), sink, 10*time.Second, nil)
			require.Equal(t, after+time.Second, time.Since(begin))
			time.Sleep(time.Hour) // the sink ends in this bubble
		})
	}
}

// A hangingExporter takes no traces until it is told to leave them.
type hangingExporter struct{}

func (hangingExporter) ExportSpans(ctx context.Context, _ []sdk.ReadOnlySpan) error {
	<-ctx.Done()
	return ctx.Err()
}
func (hangingExporter) Shutdown(context.Context) error { return nil }

// TestTheEndDoesNotWaitForWhoTakesTraces: nobody takes them, and there are several batches.
func TestTheEndDoesNotWaitForWhoTakesTraces(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		provider := sdk.NewTracerProvider(sdk.WithBatcher(hangingExporter{}))
		tracer := &tracer{provider, provider.Tracer("t")}
		for range 2000 {
			_, span := tracer.spans.Start(t.Context(), "s")
			span.End()
		}
		begin := time.Now()
		require.ErrorContains(t, tracer.close(), "the last traces are not sent: ")
		require.LessOrEqual(t, time.Since(begin), 5*time.Second)
		time.Sleep(time.Hour) // the exporter ends in this bubble
	})
}

// TestTheServiceEndsWithItsEngine: without it each request is an error, and who starts the process starts it again.
func TestTheServiceEndsWithItsEngine(t *testing.T) {
	dir, ports, logged := t.TempDir(), freePorts(t, 3), &lockedBuffer{}
	log := filepath.Join(dir, "appendonlydir", "appendonly.aof.manifest")
	require.NoError(t, os.MkdirAll(filepath.Dir(log), 0o755))
	require.NoError(t, os.WriteFile(log, []byte("this is no manifest"), 0o600))
	variables := map[string]string{
		"DISABLE_STATS": "true", "USE_STATSD": "false", "RUNTIME_ROOT": dir, "HOST": "127.0.0.1", "GRPC_HOST": "127.0.0.1",
		"DEBUG_HOST": "127.0.0.1", "PORT": fmt.Sprint(ports[0]), "GRPC_PORT": fmt.Sprint(ports[1]), "DEBUG_PORT": fmt.Sprint(ports[2]),
	}
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute) // ends the service that does not end itself
	defer cancel()
	lookup := func(name string) string { return variables[name] }
	require.Equal(t, 1, call(ctx, []string{"ratelimit", "--dir", dir}, lookup, io.Discard, logged))
	require.NoError(t, ctx.Err(), "it ended by itself")
	require.Contains(t, logged.String(), "manifest")
}
