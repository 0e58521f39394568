package main

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"net"
	"strconv"
	"sync"
	"time"

	"cellserver/envoy/server"
	"cellserver/envoy/service"
	"cellserver/envoy/settings"
	"cellserver/envoy/source"
	"cellserver/envoy/stats"
	"cellserver/envoy/tlsfiles"
)

// run runs the service until the context ends, or the engine in this process.
func run(ctx context.Context, lookup func(string) string, e embedded, errs io.Writer) error {
	s, err := settings.Read(lookup)
	if err != nil {
		return err
	}
	log := newLog(s.Log, errs)
	for _, note := range s.Notes {
		log.Warn(note)
	}
	registry := stats.NewRegistry()
	ctx, e.ended = context.WithCancel(ctx)
	defer e.ended()
	store, err := openStore(s.Store, e, registry, log)
	if err != nil {
		return err
	}
	tracer, err := newTracer(ctx, s.Tracing)
	if err != nil {
		return errors.Join(err, store.Close())
	}
	decisions := service.New(tracer.counter(store), registry, optionsOf(s.Service))
	loader := source.NewLoader(s.Source.Merge, decisions.Use, registry, log)
	followExtra := func(context.Context) {}
	if s.Source.ExtraFile != "" {
		followExtra = loader.FollowExtra(s.Source.ExtraFile)
	}
	follow, err := followRules(s.Source, loader)
	if err != nil {
		return errors.Join(err, store.Close())
	}
	health := server.NewHealth(store.Ready, s.Store.HealthNeedsAnAnswer, needsRules(s, decisions))
	listening, err := listen(s, decisions, health, registry, tracer, log)
	if err != nil {
		return errors.Join(err, store.Close())
	}
	err = serve(ctx, s, parts{listening, follow, followExtra, registry, log})
	return errors.Join(err, store.Close(), tracer.close())
}

// parts are what runs until the end.
type parts struct {
	server   *server.Server
	follow   func(context.Context) error
	extra    func(context.Context)
	registry *stats.Registry
	log      *slog.Logger
}

// serve runs the parts. The metrics are the last to end, so that they have all requests.
func serve(ctx context.Context, s settings.Settings, p parts) error {
	sinks, tags, err := sinksOf(s.Stats)
	if err != nil {
		return err
	}
	following, stopFollowing := context.WithCancel(ctx)
	flushing, stopFlushing := context.WithCancel(context.Background())
	var follower, flushers sync.WaitGroup
	follower.Go(func() {
		if err := p.follow(following); err != nil {
			p.log.Error("the rules stay as they are: " + err.Error())
		}
	})
	follower.Go(func() { p.extra(following) })
	for _, sink := range sinks {
		flushers.Go(func() { flush(flushing, p.registry, sink, s.Stats.Interval, tags) })
	}
	err = p.server.Serve(ctx)
	stopFollowing()
	follower.Wait()
	stopFlushing()
	flushers.Wait()
	return err
}

// optionsOf makes the options of the service.
func optionsOf(s settings.Service) service.Options {
	o := service.Options{
		Shadow: s.Shadow, Quota: s.Quota, AllOrNone: s.AllOrNone, CalendarMonths: s.CalendarMonths,
		DynamicMetadata: s.DynamicMetadata, NearLimit: stats.Ratio(s.NearLimit),
	}
	if s.Headers {
		o.Headers = &service.Headers{Limit: s.LimitHeader, Remaining: s.RemainingHeader, Reset: s.ResetHeader}
	}
	return o
}

// needsRules says whether there are the rules that the health needs.
func needsRules(s settings.Settings, decisions *service.Service) func() bool {
	needsAnswer := s.Source.Type != "FILE" && !s.Source.StartWithoutRules
	return func() bool {
		rules := decisions.Rules()
		switch {
		case s.GRPC.HealthyWithConfig:
			return rules != nil && rules.HasDomains()
		case needsAnswer:
			return rules != nil
		}
		return true
	}
}

// listen opens the listeners.
func listen(
	s settings.Settings, decisions *service.Service, health *server.Health, registry *stats.Registry,
	t *tracer, log *slog.Logger,
) (*server.Server, error) {
	metrics, err := prometheusHandler(registry, s.Stats)
	if err != nil {
		return nil, err
	}
	o := server.Options{
		Addresses: server.Addresses{
			GRPC: address(s.Listen.GRPCHost, s.Listen.GRPCPort), HTTP: address(s.Listen.Host, s.Listen.Port),
			Debug: address(s.Listen.DebugHost, s.Listen.DebugPort), UnixSocket: s.Listen.UnixSocket,
		},
		GRPC:    server.GRPC{MaxAge: s.GRPC.MaxAge, AgeGrace: s.GRPC.AgeGrace, More: t.options()},
		Service: t.service(decisions), Rules: decisions.Rules, Health: health, Requests: &registry.Requests,
		Metrics: metrics, MetricsAt: s.Stats.Path, Now: time.Now, Log: log,
	}
	if metrics != nil {
		o.Addresses.Prometheus = s.Stats.Address
	}
	if s.GRPC.TLS {
		o.GRPC.TLS, err = tlsfiles.Server(tlsfiles.Files{
			Cert: s.GRPC.Cert, Key: s.GRPC.Key, CA: s.GRPC.ClientCA, Name: s.GRPC.ClientSAN,
		})
		if err != nil {
			return nil, err
		}
	}
	return server.Listen(o)
}

func address(host string, port int) string { return net.JoinHostPort(host, strconv.Itoa(port)) }
