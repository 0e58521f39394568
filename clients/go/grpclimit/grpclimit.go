// Package grpclimit has interceptors for gRPC servers that ask the rules of cellserver.
//
// The interceptors ask once for each unary call and once at the start of each stream. A refused call has the status
// ResourceExhausted with a RetryInfo; if the limiter fails closed, the status is Unavailable. The header of the call has
// ratelimit-policy, ratelimit and retry-after. All other behaviour is that of package ratelimit.
//
// The package takes no locks.
package grpclimit

import (
	"context"
	"errors"
	"strconv"

	"cellserver/clients/go/ratelimit"

	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/peer"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/types/known/durationpb"
)

// A Rule is the name of a rule and the key of a call. A name such as llm@org names a scope, too.
// The method is the full one, such as /package.Service/Method.
type Rule struct {
	Name string
	Key  func(ctx context.Context, method string) string
}

// Address is the key of a client without a name: the address of its connection, as [ratelimit.Address] has it.
func Address(ctx context.Context, _ string) string {
	if p, ok := peer.FromContext(ctx); ok {
		return ratelimit.Network(p.Addr.String())
	}
	return ""
}

// A Cost returns the quantity of a call. Without a Cost the quantity is 1. The request of a stream is nil.
type Cost func(ctx context.Context, method string, request any) int64

// one is the cost of a call without a cost function.
func one(context.Context, string, any) int64 { return 1 }

// Unary returns the interceptor of unary calls.
func Unary(l *ratelimit.Limiter, rules ...Rule) grpc.UnaryServerInterceptor {
	return UnaryWithCost(l, one, rules...)
}

// UnaryWithCost is [Unary] for calls that take a quantity. A call with a negative quantity has the status Internal.
func UnaryWithCost(l *ratelimit.Limiter, cost Cost, rules ...Rule) grpc.UnaryServerInterceptor {
	return func(ctx context.Context, request any, info *grpc.UnaryServerInfo, handler grpc.UnaryHandler) (any, error) {
		header, err := ask(ctx, l, info.FullMethod, cost(ctx, info.FullMethod, request), rules)
		_ = grpc.SetHeader(ctx, header) // fails only if the header has been sent
		if err != nil {
			return nil, err
		}
		return handler(ctx, request)
	}
}

// Stream returns the interceptor of streams.
func Stream(l *ratelimit.Limiter, rules ...Rule) grpc.StreamServerInterceptor {
	return StreamWithCost(l, one, rules...)
}

// StreamWithCost is [Stream] for streams that take a quantity at their start.
func StreamWithCost(l *ratelimit.Limiter, cost Cost, rules ...Rule) grpc.StreamServerInterceptor {
	return func(server any, stream grpc.ServerStream, info *grpc.StreamServerInfo, handler grpc.StreamHandler) error {
		header, err := ask(stream.Context(), l, info.FullMethod, cost(stream.Context(), info.FullMethod, nil), rules)
		_ = stream.SetHeader(header) // fails only if the header has been sent
		if err != nil {
			return err
		}
		return handler(server, stream)
	}
}

// ask asks the rules. It returns the header of the call, and the status of a refusal.
func ask(ctx context.Context, l *ratelimit.Limiter, method string, quantity int64, rules []Rule) (metadata.MD, error) {
	questions := make([]ratelimit.Question, len(rules))
	for i, rule := range rules {
		questions[i] = ratelimit.Question{Rule: rule.Name, Key: rule.Key(ctx, method)}
	}
	d, err := l.AskFor(ctx, quantity, questions...)
	switch {
	case errors.Is(err, ratelimit.ErrQuantity):
		return nil, status.Error(codes.Internal, "the call has no valid cost")
	case errors.Is(err, ratelimit.ErrRule):
		return nil, status.Error(codes.Internal, "the limit has no rule")
	case err != nil:
		return metadata.Pairs("retry-after", "1"), status.Error(codes.Unavailable, "the rate limiter does not answer")
	}
	header := metadata.MD{}
	if d.Policy != "" {
		header.Set("ratelimit-policy", d.Policy)
		header.Set("ratelimit", d.Limit)
	}
	if d.Allowed {
		return header, nil
	}
	refusal := status.New(codes.ResourceExhausted, "the quota is used up")
	if seconds, ok := d.RetrySeconds(); ok {
		header.Set("retry-after", strconv.FormatInt(seconds, 10))
		refusal = withDelay(refusal, d)
	}
	return header, refusal.Err()
}

// withDelay adds the wait in the form that clients of gRPC know.
func withDelay(refusal *status.Status, d ratelimit.Decision) *status.Status {
	with, err := refusal.WithDetails(&errdetails.RetryInfo{RetryDelay: durationpb.New(d.RetryAfter)})
	if err != nil {
		return refusal
	}
	return with
}
