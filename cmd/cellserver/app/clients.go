package app

import "cellserver/internal/config"

// reservedFiles are kept for other things than clients: listeners, files, the runtime.
const reservedFiles = 32

// mostClients is how many clients the system's limit on open files has room for.
func mostClients() int { return max(openFiles()-reservedFiles, 1) }

// fitClients lowers maxclients to what the system allows, as Redis does at its start.
func (a *App) fitClients(cfg *config.Config) {
	if most := mostClients(); cfg.MaxClients > most {
		a.log.Warn("maxclients is lowered to what the limit on open files allows: raise it with ulimit -n",
			"maxclients", most, "asked", cfg.MaxClients)
		cfg.MaxClients = most
	}
}
