package app

import (
	"runtime"

	"cellserver/cmd/cellserver/listen"
	"cellserver/internal/config"
)

// reservedFiles is how many open files are not for clients: listeners, connections that are being refused or
// closed, data files, metrics, the runtime. It is enough for four processors and two listeners.
const reservedFiles = 32

// maxClients returns how many clients the system's limit on open files permits in addition to the
// connections over HTTP, at least 1.
func maxClients(cfg *config.Config) int {
	loops := max(runtime.GOMAXPROCS(0)-4, 0) // there is one event loop for two processors, and each loop has two files
	listeners := max(listen.CountEndpoints(cfg)-2, 0)
	http := cfg.HTTP.Ports() * apiConns(cfg)
	if cfg.Metrics.Ports() > 1 {
		http += scrapeBounds.Conns
	}
	return max(listen.OpenFiles()-reservedFiles-loops-2*listeners-http, 1)
}

// lowerMaxClients lowers maxclients to what the system permits, as Redis does at its start.
func lowerMaxClients(log *logger, cfg *config.Config) {
	if limit := maxClients(cfg); cfg.MaxClients > limit {
		log.Warn("maxclients is lowered to what the limit on open files permits: raise that limit with "+
			"ulimit -n",
			"maxclients", limit, "configured", cfg.MaxClients)
		cfg.MaxClients = limit
	}
}

// apiConns returns how many connections each port of HTTP may have.
func apiConns(cfg *config.Config) int {
	return max(min(cfg.HTTP.MaxConnections, listen.OpenFiles()/4), 1)
}
