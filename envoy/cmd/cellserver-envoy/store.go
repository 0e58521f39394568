package main

import (
	"crypto/tls"
	"errors"
	"log/slog"
	"time"

	"cellserver/envoy/backend"
	"cellserver/envoy/count"
	"cellserver/envoy/settings"
	"cellserver/envoy/stats"
	"cellserver/envoy/tlsfiles"
)

// embedded says how the process counts if no other one does.
type embedded struct {
	dir        string   // keeps the counters, "" is in memory
	directives []string // of the engine
	ended      func()   // called when it has ended, also by itself
}

// bounded returns the directives, or without one a bound on the memory. Clients that choose values then
// cost the counters that end first, and not the process.
func (e embedded) bounded() []string {
	if len(e.directives) > 0 {
		return e.directives
	}
	return []string{"--maxmemory", "128mb", "--maxmemory-policy", "volatile-ttl"}
}

// openStore opens the store: in this process, or that of REDIS_URL.
func openStore(
	s settings.Store, e embedded, registry *stats.Registry, log *slog.Logger,
) (count.Counter, error) {
	if s.URL == "" {
		return backend.Embedded(backend.EmbeddedOptions{
			Dir: e.dir, Directives: e.bounded(), Log: log, Now: time.Now, Ended: e.ended,
		})
	}
	if e.dir != "" || len(e.directives) > 0 {
		return nil, errors.New("--dir and directives are for a process that counts itself: unset REDIS_URL")
	}
	var secure *tls.Config
	if s.TLS {
		var err error
		secure, err = tlsfiles.Client(tlsfiles.Files{
			Cert: s.Cert, Key: s.Key, CA: s.CA, AnyName: s.SkipHostnames,
		})
		if err != nil {
			return nil, err
		}
	}
	return backend.OverRESP(backend.RESPOptions{
		SocketType: s.SocketType, URL: s.URL, Type: s.Type, Auth: s.Auth, SentinelAuth: s.SentinelAuth,
		TLS: secure, Timeout: s.Timeout, Prefix: s.Prefix, Now: time.Now, Opened: countConnections(registry),
	})
}

// countConnections counts the connections to the store, under the names that users of the service know.
func countConnections(registry *stats.Registry) func() (closed func()) {
	total := registry.Counter("ratelimit.redis_pool.cx_total")
	ended := registry.Counter("ratelimit.redis_pool.cx_local_close")
	registry.Gauge("ratelimit.redis_pool.cx_active", func() uint64 {
		before := ended.Value() // it never passes the total
		return total.Value() - before
	})
	return func() func() {
		total.Add(1)
		return func() { ended.Add(1) }
	}
}
