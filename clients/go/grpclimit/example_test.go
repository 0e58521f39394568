package grpclimit_test

import (
	"cellserver/clients/go/grpclimit"
	"cellserver/clients/go/ratelimit"

	"google.golang.org/grpc"
)

// grpcServer is the service of ../README.md.
func grpcServer(limiter *ratelimit.Limiter) *grpc.Server {
	return grpc.NewServer(
		grpc.UnaryInterceptor(grpclimit.Unary(limiter, grpclimit.Rule{Name: "api", Key: grpclimit.Address})),
		grpc.StreamInterceptor(grpclimit.Stream(limiter, grpclimit.Rule{Name: "api", Key: grpclimit.Address})),
	)
}

var _ = grpcServer
