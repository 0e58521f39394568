package source

import (
	"context"
	"fmt"
	"time"

	core "github.com/envoyproxy/go-control-plane/envoy/config/core/v3"
	discovery "github.com/envoyproxy/go-control-plane/envoy/service/discovery/v3"
	xds "github.com/envoyproxy/go-control-plane/ratelimit/config/ratelimit/v3"
	rpcstatus "google.golang.org/genproto/googleapis/rpc/status"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"
	"google.golang.org/protobuf/types/known/structpb"

	"cellserver/envoy/config"
	"cellserver/envoy/parts"
)

// Bounds on what an xDS server sends. A descriptor with a limit is two messages.
const (
	maxMessage = 16 << 20
	maxParts   = 1_000_000 // in a message
)

// rulesType is the type of the resources that have rules.
const rulesType = "type.googleapis.com/ratelimit.config.ratelimit.v3.RateLimitConfig"

// A Server is an xDS server, and how to ask it.
type Server struct {
	Connection             grpc.ClientConnInterface
	Node                   string
	Metadata               map[string]string // of the node
	Headers                map[string]string // of the call
	FirstWait, LongestWait time.Duration
	Now                    func() time.Time
}

// A stream has the state that outlives one connection to a server.
type stream struct {
	*Loader
	server  Server
	version string // of the last good rules
	waits   backoff
	refusal backoff // slows down a server that repeats bad rules
}

// Subscribe gets the rules of an xDS server, and all changes. It returns when the context ends.
func (l *Loader) Subscribe(ctx context.Context, server Server) error {
	s := &stream{
		Loader: l, server: server, waits: backoff{first: server.FirstWait, longest: server.LongestWait},
		refusal: backoff{first: 100 * time.Millisecond, longest: 10 * time.Second},
	}
	for {
		err := s.run(ctx)
		if ctx.Err() != nil {
			return nil
		}
		l.log.Warn("the rules stay, while the xDS server is away", "error", err)
		if !s.waits.wait(ctx) {
			return nil
		}
	}
}

// run asks the server over one connection.
func (s *stream) run(ctx context.Context) error {
	ctx, cancel := context.WithCancel(metadata.NewOutgoingContext(ctx, metadata.New(s.server.Headers)))
	defer cancel()
	client := discovery.NewAggregatedDiscoveryServiceClient(s.server.Connection)
	calls, err := client.StreamAggregatedResources(ctx, grpc.MaxCallRecvMsgSize(maxMessage),
		grpc.ForceCodecV2(parts.NewCodec(maxParts)))
	if err != nil {
		return err
	}
	node, err := s.node()
	if err != nil {
		return err
	}
	request := &discovery.DiscoveryRequest{TypeUrl: rulesType, Node: node, VersionInfo: s.version}
	for {
		if err := calls.Send(request); err != nil {
			return err
		}
		response, err := calls.Recv()
		if err != nil {
			return err
		}
		begin := s.server.Now()
		request = s.answer(response)
		if !sleep(ctx, min(rest*s.server.Now().Sub(begin), longestRest)) {
			return ctx.Err()
		}
		if request.GetErrorDetail() == nil {
			s.waits.reset()
			s.refusal.reset()
		} else if !s.refusal.wait(ctx) {
			return ctx.Err()
		}
	}
}

// Rules take at most a fifth of the time of a processor, whatever a server sends: who has loaded some rests
// four times as long.
const (
	rest        = 4
	longestRest = 10 * time.Second
)

// node tells the server who asks.
func (s *stream) node() (*core.Node, error) {
	node := &core.Node{Id: s.server.Node}
	if len(s.server.Metadata) == 0 {
		return node, nil
	}
	fields := make(map[string]any, len(s.server.Metadata))
	for name, value := range s.server.Metadata {
		fields[name] = value
	}
	var err error
	node.Metadata, err = structpb.NewStruct(fields)
	return node, err
}

// answer uses the rules of a response, and says so. Rules that are bad are refused with the reason.
func (s *stream) answer(response *discovery.DiscoveryResponse) *discovery.DiscoveryRequest {
	request := &discovery.DiscoveryRequest{TypeUrl: rulesType, ResponseNonce: response.GetNonce()}
	if err := s.load(filesOf(response)); err != nil {
		request.ErrorDetail = &rpcstatus.Status{Code: int32(codes.InvalidArgument), Message: err.Error()}
	} else {
		s.version = response.GetVersionInfo()
	}
	request.VersionInfo = s.version
	return request
}

// filesOf reads the resources of a response.
func filesOf(response *discovery.DiscoveryResponse) ([]config.File, error) {
	if response.GetTypeUrl() != rulesType {
		return nil, fmt.Errorf("the xDS server sent resources of type '%.200s'", response.GetTypeUrl())
	}
	files, inside := make([]config.File, len(response.GetResources())), 0
	for i, resource := range response.GetResources() {
		rules := &xds.RateLimitConfig{}
		inside += parts.Of(resource.GetValue(), rules.ProtoReflect().Descriptor(), maxParts)
		if inside > maxParts {
			return nil, fmt.Errorf("the xDS server: %w", parts.Error(maxParts))
		}
		if err := resource.UnmarshalTo(rules); err != nil {
			return nil, fmt.Errorf("resource %d of the xDS server: %w", i+1, err)
		}
		files[i] = config.FromMessage(rules)
	}
	return files, nil
}
