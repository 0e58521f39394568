package server

import (
	"context"
	"crypto/tls"
	"errors"
	"io"
	"time"

	ratelimit "github.com/envoyproxy/go-control-plane/envoy/service/ratelimit/v3"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/encoding/gzip"
	healthpb "google.golang.org/grpc/health/grpc_health_v1"
	"google.golang.org/grpc/keepalive"
	"google.golang.org/grpc/reflection"

	"cellserver/envoy/parts"
	"cellserver/envoy/stats"
)

// Bounds on what one client of gRPC may do. Envoy lets a request pass whose message is too large. Its clients
// choose headers of 60 KB, and each of several descriptors may repeat one. A call that waits for a stream
// waits in the client.
const (
	maxMessage = 1 << 20
	maxParts   = 16 << 10 // descriptors and their entries, of a message
	maxStreams = 100      // of a connection
	window     = 64 << 10
	maxHeaders = 64 << 10
	readBuffer = 8 << 10 // of a connection, as there may be many without requests
	handshake  = 10 * time.Second
)

// A GRPC has the settings of the gRPC server.
type GRPC struct {
	TLS              *tls.Config // or nil
	MaxAge, AgeGrace time.Duration
	More             []grpc.ServerOption
}

// newGRPC makes the gRPC server.
func newGRPC(
	o GRPC, service ratelimit.RateLimitServiceServer, h *Health, m measure, a *arrivals,
) *grpc.Server {
	options := append([]grpc.ServerOption{
		//lint:ignore SA1019 a compressor that is registered would be that of the clients of this process, too
		grpc.ForceServerCodecV2(parts.NewCodec(maxParts)), grpc.RPCDecompressor(plain{}),
		grpc.MaxRecvMsgSize(maxMessage), grpc.MaxConcurrentStreams(maxStreams),
		grpc.MaxHeaderListSize(maxHeaders), grpc.ConnectionTimeout(handshake),
		grpc.ReadBufferSize(readBuffer), grpc.StaticStreamWindowSize(window),
		grpc.KeepaliveParams(keepalive.ServerParameters{
			MaxConnectionAge: o.MaxAge, MaxConnectionAgeGrace: o.AgeGrace,
			Time: time.Minute, Timeout: 20 * time.Second,
		}),
		grpc.KeepaliveEnforcementPolicy(keepalive.EnforcementPolicy{
			MinTime: 5 * time.Second, PermitWithoutStream: true,
		}),
		grpc.InTapHandle(a.tap), grpc.UnaryInterceptor(m.intercept), grpc.StreamInterceptor(a.streams),
	}, o.More...)
	if o.TLS != nil {
		options = append(options, grpc.Creds(credentials.NewTLS(o.TLS)))
	}
	s := grpc.NewServer(options...)
	ratelimit.RegisterRateLimitServiceServer(s, service)
	healthpb.RegisterHealthServer(s, h)
	reflection.Register(s)
	return s
}

// A plain refuses messages that are compressed: 1 KB could become 1 MB. Envoy compresses none.
type plain struct{}

// Type implements [grpc.Decompressor].
func (plain) Type() string { return gzip.Name }

// Do implements [grpc.Decompressor].
func (plain) Do(io.Reader) ([]byte, error) {
	return nil, errors.New("the service reads no compressed messages: send them as they are")
}

// A measure measures requests.
type measure struct {
	requests *stats.Timer
	now      func() time.Time
}

// intercept measures the requests of the service, not those for its health.
func (m measure) intercept(
	ctx context.Context, request any, info *grpc.UnaryServerInfo, handle grpc.UnaryHandler,
) (any, error) {
	whole(ctx)
	if info.FullMethod != ratelimit.RateLimitService_ShouldRateLimit_FullMethodName {
		return handle(ctx, request)
	}
	begin := m.now()
	response, err := handle(ctx, request)
	m.requests.Observe(m.now().Sub(begin))
	return response, err
}
