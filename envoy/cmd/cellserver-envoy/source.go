package main

import (
	"context"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/keepalive"

	"cellserver/envoy/settings"
	"cellserver/envoy/source"
	"cellserver/envoy/tlsfiles"
)

// followRules makes the function that brings all changes of the rules until the context ends. Files are read
// at once, so that no request comes before them.
func followRules(s settings.Source, loader *source.Loader) (func(context.Context) error, error) {
	if s.Type == "FILE" {
		return loader.Watch(source.Folders{
			Root: s.Root, Subdirectory: s.Subdirectory, AppDirectory: s.AppDirectory,
			WatchRoot: s.WatchRoot, IgnoreDots: s.IgnoreDots,
		})
	}
	x := s.XDS
	secure := insecure.NewCredentials()
	if x.TLS {
		c, err := tlsfiles.Client(tlsfiles.Files{Cert: x.Cert, Key: x.Key, CA: x.CA, Name: x.SAN})
		if err != nil {
			return nil, err
		}
		secure = credentials.NewTLS(c)
	}
	connection, err := grpc.NewClient(x.URL, grpc.WithTransportCredentials(secure),
		grpc.WithKeepaliveParams(keepalive.ClientParameters{
			Time: 5 * time.Minute, Timeout: 20 * time.Second,
		}))
	if err != nil {
		return nil, err
	}
	server := source.Server{
		Connection: connection, Node: x.Node, Metadata: x.Metadata, Headers: x.Headers,
		FirstWait: x.FirstWait, LongestWait: x.LongestWait, Now: time.Now,
	}
	return func(ctx context.Context) error {
		defer connection.Close()
		return loader.Subscribe(ctx, server)
	}, nil
}
