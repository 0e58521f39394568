package main

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	ratelimit "github.com/envoyproxy/go-control-plane/envoy/service/ratelimit/v3"
	"github.com/stretchr/testify/require"

	"cellserver/envoy/settings"
)

// Spans wait for who takes them, and clients choose domains. A batch that is too large is lost.
func TestTheTextsOfSpansAreBounded(t *testing.T) {
	sizes := make(chan int, 10)
	receiver := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		n, _ := io.Copy(io.Discard, r.Body)
		sizes <- int(n)
	}))
	defer receiver.Close()
	t.Setenv("OTEL_EXPORTER_OTLP_ENDPOINT", receiver.URL)
	tracer, err := newTracer(t.Context(), settings.Tracing{Enabled: true, Protocol: "http", Sampling: 1})
	require.NoError(t, err)
	traced := tracer.service(ratelimit.UnimplementedRateLimitServiceServer{})
	_, err = traced.ShouldRateLimit(t.Context(), &ratelimit.RateLimitRequest{Domain: strings.Repeat("d", 1<<20)})
	require.Error(t, err)
	require.NoError(t, tracer.close())
	require.Less(t, <-sizes, 4096)
}
