package main

import (
	"context"
	"fmt"
	"time"

	ratelimit "github.com/envoyproxy/go-control-plane/envoy/service/ratelimit/v3"
	"go.opentelemetry.io/contrib/instrumentation/google.golang.org/grpc/otelgrpc"
	"go.opentelemetry.io/contrib/propagators/b3"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracegrpc"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracehttp"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/sdk/resource"
	sdk "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"
	"google.golang.org/grpc"

	"cellserver/envoy/count"
	"cellserver/envoy/settings"
)

// A tracer sends traces. A nil tracer sends nothing, and costs nothing.
type tracer struct {
	provider *sdk.TracerProvider
	spans    trace.Tracer
}

// maxAttribute bounds the texts of a span. Clients choose domains of up to 1 MB, and 2,048 spans wait.
const maxAttribute = 256

// newTracer makes the tracer that the settings ask for, or nil.
func newTracer(ctx context.Context, s settings.Tracing) (*tracer, error) {
	if !s.Enabled {
		return nil, nil
	}
	var exporter sdk.SpanExporter
	var err error
	if s.Protocol == "grpc" {
		exporter, err = otlptracegrpc.New(ctx)
	} else {
		exporter, err = otlptracehttp.New(ctx)
	}
	if err != nil {
		return nil, err
	}
	about := []attribute.KeyValue{attribute.String("service.name", s.Service)}
	for name, value := range map[string]string{
		"service.namespace": s.Namespace, "service.instance.id": s.Instance,
	} {
		if value != "" {
			about = append(about, attribute.String(name, value))
		}
	}
	limits := sdk.NewSpanLimits()
	limits.AttributeValueLengthLimit = maxAttribute
	provider := sdk.NewTracerProvider(sdk.WithBatcher(exporter), sdk.WithRawSpanLimits(limits),
		sdk.WithResource(resource.NewSchemaless(about...)),
		sdk.WithSampler(sdk.ParentBased(sdk.TraceIDRatioBased(s.Sampling))))
	return &tracer{provider, provider.Tracer("cellserver-envoy")}, nil
}

// options are those of a gRPC server that reads the trace of a request, in the headers of B3 and of the
// W3C.
func (t *tracer) options() []grpc.ServerOption {
	if t == nil {
		return nil
	}
	headers := propagation.NewCompositeTextMapPropagator(
		b3.New(), propagation.TraceContext{}, propagation.Baggage{})
	return []grpc.ServerOption{grpc.StatsHandler(otelgrpc.NewServerHandler(
		otelgrpc.WithTracerProvider(t.provider), otelgrpc.WithPropagators(headers)))}
}

// lastTraces is how long the end waits for who takes traces. Who hangs is tried for a minute.
const lastTraces = 5 * time.Second

// close sends what is left.
func (t *tracer) close() error {
	if t == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), lastTraces)
	defer cancel()
	if err := t.provider.Shutdown(ctx); err != nil {
		return fmt.Errorf("the last traces are not sent: %w", err)
	}
	return nil
}

// A tracedService makes a span of each request.
type tracedService struct {
	ratelimit.RateLimitServiceServer
	spans trace.Tracer
}

// service wraps a service.
func (t *tracer) service(s ratelimit.RateLimitServiceServer) ratelimit.RateLimitServiceServer {
	if t == nil {
		return s
	}
	return tracedService{s, t.spans}
}

// ShouldRateLimit answers a request.
func (s tracedService) ShouldRateLimit(
	ctx context.Context, r *ratelimit.RateLimitRequest,
) (*ratelimit.RateLimitResponse, error) {
	ctx, span := s.spans.Start(ctx, "ShouldRateLimit Execution", trace.WithAttributes(
		attribute.String("domain", r.GetDomain()), attribute.Int("descriptors", len(r.GetDescriptors()))))
	defer span.End()
	response, err := s.RateLimitServiceServer.ShouldRateLimit(ctx, r)
	if err != nil {
		span.SetStatus(codes.Error, err.Error())
		return nil, err
	}
	span.SetAttributes(attribute.String("code", response.GetOverallCode().String()))
	return response, nil
}

// A tracedCounter makes a span of each question to the store.
type tracedCounter struct {
	count.Counter
	spans trace.Tracer
}

// counter wraps a store.
func (t *tracer) counter(c count.Counter) count.Counter {
	if t == nil {
		return c
	}
	return tracedCounter{c, t.spans}
}

// Count counts in the store.
func (c tracedCounter) Count(ctx context.Context, r count.Request) ([]count.Result, error) {
	ctx, span := c.spans.Start(ctx, "Redis Pipeline Execution", trace.WithAttributes(
		attribute.Int("hits", len(r.Hits))))
	defer span.End()
	results, err := c.Counter.Count(ctx, r)
	if err != nil {
		span.SetStatus(codes.Error, err.Error())
	}
	return results, err
}
