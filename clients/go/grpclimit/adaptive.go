package grpclimit

import (
	"context"

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

// within runs a call if it may begin, and reports how it ended, also if it panics.
func within(ctx context.Context, l *adaptive.Limit, run func() error) error {
	call, err := l.Enter(ctx)
	if err != nil {
		return status.Error(codes.ResourceExhausted, err.Error())
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
	switch status.Code(err) {
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
