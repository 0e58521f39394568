package grpclimit

import (
	"context"
	"slices"

	"cellserver/clients/go/adaptive"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

// AdaptiveClient returns the interceptor of the calls of a service, which begin within a limit that the
// server finds. Otherwise the status is ResourceExhausted.
func AdaptiveClient(l *adaptive.Limit) grpc.UnaryClientInterceptor {
	return func(
		ctx context.Context, method string, request, reply any, cc *grpc.ClientConn,
		invoke grpc.UnaryInvoker, o ...grpc.CallOption,
	) error {
		return within(ctx, l, func() error { return invoke(ctx, method, request, reply, cc, o...) })
	}
}

// AdaptiveServer returns the interceptor of the service itself.
func AdaptiveServer(l *adaptive.Limit) grpc.UnaryServerInterceptor {
	return func(
		ctx context.Context, request any, _ *grpc.UnaryServerInfo, handler grpc.UnaryHandler,
	) (reply any, err error) {
		err = within(ctx, l, func() (err error) {
			reply, err = handler(ctx, request)
			return err
		})
		return reply, err
	}
}

// AdaptiveStreamClient returns the interceptor of the streams of a service. A stream is one call until gRPC
// ends it: the lease of the limit must be longer.
func AdaptiveStreamClient(l *adaptive.Limit) grpc.StreamClientInterceptor {
	return func(
		ctx context.Context, desc *grpc.StreamDesc, cc *grpc.ClientConn, method string,
		open grpc.Streamer, o ...grpc.CallOption,
	) (stream grpc.ClientStream, err error) {
		call, err := enter(ctx, l)
		if err != nil {
			return nil, err
		}
		defer func() {
			if stream == nil {
				call.Leave(outcomeOf(err))
			}
		}()
		end := grpc.OnFinish(func(err error) { call.Leave(outcomeOf(err)) })
		return open(ctx, desc, cc, method, append(slices.Clone(o), end)...)
	}
}

// AdaptiveStreamServer returns the interceptor of the streams of the service itself. A stream is one call
// until its handler ends: the lease of the limit must be longer.
func AdaptiveStreamServer(l *adaptive.Limit) grpc.StreamServerInterceptor {
	return func(
		server any, stream grpc.ServerStream, _ *grpc.StreamServerInfo, handler grpc.StreamHandler,
	) error {
		return within(stream.Context(), l, func() error { return handler(server, stream) })
	}
}

// enter asks whether a call may begin. The error has a status.
func enter(ctx context.Context, l *adaptive.Limit) (*adaptive.Call, error) {
	call, err := l.Enter(ctx)
	if err != nil {
		return nil, status.Error(codes.ResourceExhausted, err.Error())
	}
	return call, nil
}

// within runs a call if it may begin, and reports how it ended, also if it panics.
func within(ctx context.Context, l *adaptive.Limit, run func() error) error {
	call, err := enter(ctx, l)
	if err != nil {
		return err
	}
	outcome := adaptive.Ignore
	defer func() { call.Leave(outcome) }()
	err = run()
	outcome = outcomeOf(err)
	return err
}

// outcomeOf returns the outcome of a call. Unavailable and ResourceExhausted are a service that has too much
// to do.
func outcomeOf(err error) adaptive.Outcome {
	code := status.Code(err)
	if code == codes.Unknown {
		code = status.FromContextError(err).Code() // as the other side gets it
	}
	switch code {
	case codes.OK, codes.Internal, codes.Unknown, codes.DataLoss:
		if err != nil && adaptive.OutcomeOf(err) == adaptive.Drop {
			return adaptive.Drop
		}
		return adaptive.OK
	case codes.DeadlineExceeded, codes.ResourceExhausted, codes.Unavailable:
		return adaptive.Drop
	}
	return adaptive.Ignore
}
