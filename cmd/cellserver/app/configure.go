package app

import (
	"fmt"
	"math"
	"slices"

	"cellserver/cmd/cellserver/clock"
	"cellserver/cmd/cellserver/files"

	"cellserver/commands"
	"cellserver/internal/config"
	"cellserver/store"
)

// configure applies a new configuration. CONFIG SET calls it before the configuration is in force, and an
// error refuses the change. The other directives need no step, because the code reads them from the
// configuration in force.
func (a *App) configure(old, cfg *config.Config) error {
	if cfg.Dir != old.Dir {
		if err := refusedAs("dir", files.ResolveDir(cfg)); err != nil {
			return err
		}
	}
	if err := refuseClients(old, cfg); err != nil {
		return err
	}
	read, err := a.certificates.Prepare(old, cfg)
	if err != nil {
		return err
	}
	if err := a.apply(old, cfg); err != nil {
		return err
	}
	a.log.configure(cfg)
	configureStore(a.store, cfg)
	configureClock(a.clock, cfg)
	if a.peers.sidecar != nil {
		a.peers.sidecar.Configure(sidecarSettings(cfg).Settings)
	}
	a.certificates.Use(read)
	return nil
}

// apply applies a configuration to the parts that may refuse it. A part that refuses keeps its previous
// state, and the parts before it take the old configuration again. The last of them is the first to do so,
// because it may have a port that another one has left.
func (a *App) apply(old, cfg *config.Config) error {
	for i, part := range partsThatRefuse {
		refused := part(a, old, cfg)
		if refused == nil {
			continue
		}
		for _, before := range slices.Backward(partsThatRefuse[:i]) {
			if err := before(a, cfg, old); err != nil {
				a.log.Error("a part of the server does not take the configuration in force again: correct "+
					"what the error names, and send any CONFIG SET", "error", err)
			}
		}
		return refused
	}
	return nil
}

// partsThatRefuse apply a configuration in the place of an old one, in this order. The disk is the last one, so
// it never goes back: a log that ends and begins again misses changes until its rewrite is complete.
var partsThatRefuse = []func(a *App, old, cfg *config.Config) error{
	func(a *App, _, cfg *config.Config) error {
		return refusedAs("rules-file", a.configureRules(cfg))
	},
	func(a *App, old, cfg *config.Config) error {
		if err := a.exporter.Configure(cfg.Metrics); err != nil {
			return a.exporter.Refuse(old.Metrics, cfg.Metrics, err)
		}
		return nil
	},
	func(a *App, old, cfg *config.Config) error {
		if err := a.api.Configure(cfg); err != nil {
			return a.api.Refuse(old.HTTP.Web, cfg.HTTP.Web, err)
		}
		return nil
	},
	func(a *App, old, cfg *config.Config) error {
		if err := a.sockets.Configure(cfg); err != nil {
			return refuseListen(old, cfg, err)
		}
		return nil
	},
	func(a *App, _, cfg *config.Config) error {
		return refusedAs("dir", a.disk.configure(cfg))
	},
}

// refusedAs names the directive that an error is about. It returns nil for no error.
func refusedAs(directive string, err error) error {
	if err == nil {
		return nil
	}
	return &commands.Refusal{Directive: directive, Reason: err}
}

// refuseListen names the directive that asks for an address on which the server cannot listen.
func refuseListen(old, cfg *config.Config, err error) error {
	switch {
	case !slices.Equal(old.Bind, cfg.Bind):
		return &commands.Refusal{Directive: "bind", Reason: fmt.Errorf("Failed to bind to specified addresses: %w", err)}
	case old.Port != cfg.Port:
		return &commands.Refusal{Directive: "port", Reason: fmt.Errorf("Unable to listen on this port: %w", err)}
	}
	return &commands.Refusal{Directive: "tls-port", Reason: fmt.Errorf("Unable to listen on this port: %w", err)}
}

// refuseClients refuses a change after which the system has too few files for all connections.
func refuseClients(old, cfg *config.Config) error {
	limit := maxClients(cfg)
	switch {
	case cfg.MaxClients <= limit:
		return nil
	case cfg.MaxClients > old.MaxClients:
		return &commands.Refusal{Directive: "maxclients", Reason: fmt.Errorf(
			"The operating system is not able to handle the specified number of clients, try with %d", limit)}
	case cfg.HTTP.Ports() > old.HTTP.Ports():
		directive := "http-port"
		if cfg.HTTP.Port == old.HTTP.Port {
			directive = "http-tls-port"
		}
		return &commands.Refusal{Directive: directive, Reason: fmt.Errorf(
			"the limit on open files has no room for connections over HTTP: first set maxclients to %d or less", limit)}
	}
	return nil
}

// configureStore passes the directives of eviction and of compact collections to the store.
func configureStore(s *store.Store, cfg *config.Config) {
	policy, err := store.ParsePolicy(string(cfg.MaxMemoryPolicy))
	if err != nil {
		panic(err) // the configuration and the store have the same policies
	}
	s.UseLFU(policy.LFU())
	s.SetLFU(cfg.LFULogFactor, cfg.LFUDecayTime)
	listEntries, listBytes := listLimits(cfg.ListMaxListpackSize)
	s.SetLimits(store.Limits{
		ZSetEntries: int(cfg.ZSetMaxListpackEntries), ZSetValue: int(cfg.ZSetMaxListpackValue),
		HashEntries: int(cfg.HashMaxListpackEntries), HashValue: int(cfg.HashMaxListpackValue),
		SetIntEntries: int(cfg.SetMaxIntsetEntries),
		ListEntries:   listEntries, ListBytes: listBytes,
	})
}

// listLimits returns what list-max-listpack-size says about the blocks of a list: their elements, or their
// bytes if it is negative. Redis has the same bounds, and takes 0 for 1.
func listLimits(size int) (entries, bytes int) {
	if size >= 0 {
		return max(size, 1), 8 << 10
	}
	return math.MaxInt32, 2 << 10 << min(-size, 5)
}

// configureClock applies clock-step-limit. A node of a cluster applies it as it begins to lead.
func configureClock(c *clock.Clock, cfg *config.Config) {
	if len(cfg.Cluster.Nodes) == 0 {
		c.SetLimit(stepLimit(cfg))
	}
}

// stepLimit returns clock-step-limit in nanoseconds.
func stepLimit(cfg *config.Config) int64 { return int64(cfg.ClockStepLimit) * 1e9 }
