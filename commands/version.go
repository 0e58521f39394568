package commands

import "cellserver/internal/config"

// RedisVersion is the Redis whose behaviour this server has; INFO and HELLO report it,
// because clients decide by it.
const RedisVersion = "7.0.15"

// Version is the server's own version.
const Version = "0.1.0"

// Mode is what INFO and HELLO call the server: "standalone" or "cluster".
func Mode(cfg *config.Config) string {
	if cfg.ClusterEnabled {
		return "cluster"
	}
	return "standalone"
}
