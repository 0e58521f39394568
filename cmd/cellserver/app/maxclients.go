package app

import "cellserver/internal/config"

// reservedFiles is how many open files are not for clients: listeners, data files, the runtime.
const reservedFiles = 32

// maxClients returns how many clients the system's limit on open files permits, at least 1.
func maxClients() int { return max(openFiles()-reservedFiles, 1) }

// lowerMaxClients lowers maxclients to what the system permits, as Redis does at its start.
func lowerMaxClients(log *logger, cfg *config.Config) {
	if limit := maxClients(); cfg.MaxClients > limit {
		log.Warn("maxclients is lowered to what the limit on open files permits: raise that limit with ulimit -n",
			"maxclients", limit, "configured", cfg.MaxClients)
		cfg.MaxClients = limit
	}
}
