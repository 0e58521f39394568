package server

import (
	"cmp"
	"context"
	"fmt"
	"io/fs"
	"log/slog"
	"net"
	"net/http"
	"os"
	"sync"
	"time"

	ratelimit "github.com/envoyproxy/go-control-plane/envoy/service/ratelimit/v3"
	"golang.org/x/net/netutil"
	"google.golang.org/grpc"

	"cellserver/envoy/config"
	"cellserver/envoy/stats"
)

// Bounds on connections.
const (
	maxConnections = 10_000 // of each listener
	headerTime     = 5 * time.Second
	bodyTime       = 10 * time.Second
	idleTime       = 2 * time.Minute
	patience       = time.Minute      // for who reads an answer
	drainTime      = 10 * time.Second // for requests at the end
	farewell       = time.Second      // for streams at the end, which may last for ever
)

// Addresses are where the server listens.
type Addresses struct {
	GRPC, HTTP, Debug string
	UnixSocket        string // instead of GRPC
	Prometheus        string // "" does not listen
}

// Options are what a server is made of.
type Options struct {
	Addresses   Addresses
	GRPC        GRPC
	Service     ratelimit.RateLimitServiceServer
	Rules       func() *config.Set // in use, or nil
	Health      *Health
	Requests    *stats.Timer
	Metrics     http.Handler  // for Prometheus
	MetricsAt   string        // the path of Metrics
	Connections int           // of each listener, 0 is 10,000
	Patience    time.Duration // with who reads an answer over HTTP, 0 is a minute
	Now         func() time.Time
	Log         *slog.Logger // nil says nothing
}

// A Server serves the rate limit service.
type Server struct {
	options   Options
	grpc      *grpc.Server
	http      []*http.Server
	listeners []net.Listener // first that of gRPC
	arrivals  *arrivals
}

// Listen opens all listeners.
func Listen(o Options) (*Server, error) {
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	s := &Server{options: o, arrivals: newArrivals()}
	s.grpc = newGRPC(o.GRPC, o.Service, o.Health, measure{o.Requests, o.Now}, s.arrivals)
	if err := s.listenGRPC(); err != nil {
		return nil, err
	}
	main := http.NewServeMux()
	main.Handle("/healthcheck", o.Health)
	main.HandleFunc("/json", jsonHandler(o.Service, s.arrivals))
	metrics := http.NewServeMux()
	if o.Metrics != nil {
		metrics.Handle(o.MetricsAt, o.Metrics)
	}
	for _, l := range []struct {
		address string
		handler http.Handler
	}{
		{o.Addresses.HTTP, main}, {o.Addresses.Debug, debugHandler(o.Rules)},
		{o.Addresses.Prometheus, metrics},
	} {
		if l.address == "" {
			continue
		}
		if err := s.listenHTTP(l.address, l.handler); err != nil {
			s.close()
			return nil, err
		}
	}
	return s, nil
}

// listenGRPC opens the listener of gRPC. A socket that a dead process left goes first.
func (s *Server) listenGRPC() error {
	network, address := "tcp", s.options.Addresses.GRPC
	if path := s.options.Addresses.UnixSocket; path != "" {
		network, address = "unix", path
		if info, err := os.Stat(path); err == nil && info.Mode().Type() == fs.ModeSocket && !answers(path) {
			_ = os.Remove(path)
		}
	}
	l, err := net.Listen(network, address)
	if err != nil {
		return err
	}
	s.listeners = append(s.listeners, netutil.LimitListener(l, cmp.Or(s.options.Connections, maxConnections)))
	return nil
}

// answers reports whether a process listens on a socket.
func answers(path string) bool {
	c, err := net.Dial("unix", path)
	if err != nil {
		return false
	}
	_ = c.Close()
	return true
}

// listenHTTP opens a listener of HTTP.
func (s *Server) listenHTTP(address string, handler http.Handler) error {
	l, err := net.Listen("tcp", address)
	if err != nil {
		return err
	}
	s.listeners = append(s.listeners, netutil.LimitListener(l, cmp.Or(s.options.Connections, maxConnections)))
	s.http = append(s.http, &http.Server{
		Handler: handler, ReadHeaderTimeout: headerTime, ReadTimeout: bodyTime, IdleTimeout: idleTime,
		WriteTimeout: cmp.Or(s.options.Patience, patience), MaxHeaderBytes: maxHeaders,
		ErrorLog: slog.NewLogLogger(s.options.Log.Handler(), slog.LevelWarn),
	})
	return nil
}

// Serve serves until the context ends, and then lets the requests end.
func (s *Server) Serve(ctx context.Context) error {
	failed := make(chan error, len(s.listeners))
	go func() { failed <- s.grpc.Serve(s.listeners[0]) }()
	for i, h := range s.http {
		go func() { failed <- h.Serve(s.listeners[i+1]) }()
	}
	watching, stopWatching := context.WithCancel(ctx)
	defer stopWatching()
	go s.options.Health.watch(watching, s.options.Log)
	go s.arrivals.watch(watching, s.options.Log)
	select {
	case err := <-failed:
		s.close()
		return fmt.Errorf("a listener ended: %w", err)
	case <-ctx.Done():
		s.options.Health.stop()
		s.drain(drainTime)
		return nil
	}
}

// drain lets the requests end that the server has, and cuts off those that take longer. Those of HTTP do not wait
// for the streams of gRPC.
func (s *Server) drain(longest time.Duration) {
	ctx, cancel := context.WithTimeout(context.Background(), longest)
	defer cancel()
	time.AfterFunc(farewell, s.arrivals.close)
	var all sync.WaitGroup
	for _, h := range s.http {
		all.Go(func() {
			if h.Shutdown(ctx) != nil {
				_ = h.Close()
			}
		})
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		s.grpc.GracefulStop()
	}()
	select {
	case <-done:
	case <-ctx.Done():
		s.grpc.Stop()
	}
	all.Wait()
}

// close closes all at once.
func (s *Server) close() {
	s.grpc.Stop()
	for _, h := range s.http {
		_ = h.Close()
	}
	for _, l := range s.listeners {
		_ = l.Close()
	}
}
