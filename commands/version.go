package commands

import "cellserver/internal/config"

// RedisVersion is the Redis version that this server behaves like. INFO and HELLO report it,
// because clients choose their commands by it.
const RedisVersion = "7.0.15"

// Version is the server's own version.
const Version = "0.1.0"

// Mode returns the name of the server's mode in INFO and HELLO: "standalone" or "cluster". A client that does
// not know slots sees a server without them.
func Mode(cfg *config.Config, whole bool) string {
	if cfg.ClusterEnabled && !whole {
		return "cluster"
	}
	return "standalone"
}
