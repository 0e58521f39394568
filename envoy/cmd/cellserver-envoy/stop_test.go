package main

import (
	"context"
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
		require.Error(t, tracer.close())
		require.LessOrEqual(t, time.Since(begin), 5*time.Second)
		time.Sleep(time.Hour) // the exporter ends in this bubble
	})
}
