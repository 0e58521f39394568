package configload

import (
	"errors"
	"slices"
	"strings"
)

// otherVersions are directives of Valkey, and of Redis before and after 7.0, that have no value here. Redis
// 7.0 ignores the older ones, too. None of them protects anything.
var otherVersions = []string{
	"list-max-ziplist-entries", "list-max-ziplist-value", "lua-replicate-commands",
	"set-max-listpack-entries", "set-max-listpack-value", "locale-collate",
	"cluster-announce-human-nodename", "cluster-slot-stats-enabled",
	"max-new-connections-per-cycle", "max-new-tls-connections-per-cycle",
	"hide-user-data-from-log", "replica-full-sync-buffer-limit",
	"rdb-version-check", "availability-zone", "import-mode", "extended-redis-compatibility",
	"lua-enable-insecure-api",
	"lua-enable-deprecated-api", "lookahead",
	"dual-channel-replication-enabled", "events-per-io-thread", "prefetch-batch-max-size",
	"min-io-threads-avoid-copy-reply", "cluster-manual-failover-timeout",
	"server-cpulist", "bio-cpulist", "aof-rewrite-cpulist", "bgsave-cpulist", "primaryauth", "primaryuser",
	"active-defrag-cycle-us", "unixsocketgroup", "tls-auto-reload-interval",
	"cluster-databases", "cluster-blacklist-ttl",
	"cluster-announce-client-ipv4", "cluster-announce-client-ipv6", "cluster-announce-client-port",
	"cluster-announce-client-tls-port", "cluster-config-save-behavior",
	"io-threads-always-active", "min-string-size-avoid-copy-reply", "log-timestamp-format",
	"repl-mptcp", "mptcp", "rdma-port", "rdma-bind", "rdma-completion-vector",
	"cluster-slot-migration-log-max-len", "cluster-compatibility-sample-ratio", "key-memory-histograms",
	"commandlog-execution-slower-than", "commandlog-slow-execution-max-len", "commandlog-request-larger-than",
	"commandlog-large-request-max-len", "commandlog-reply-larger-than", "commandlog-large-reply-max-len",
}

// ignored reports whether a name that is not in the table of directives is ignored, and why. The reason may
// be empty.
func ignored(name string, args []string) (reason string, ok bool) {
	switch {
	case slices.Contains(otherVersions, name):
		return "", true
	case strings.Contains(strings.Trim(name, "."), ".") && len(args) > 0:
		return "it belongs to a module, and this server has no modules", true
	}
	return "", false
}

// isRedisCell reports whether a loadmodule line loads redis-cell.
func isRedisCell(args []string) bool {
	return len(args) > 0 && strings.Contains(strings.ToLower(args[0]), "cell")
}

// refused returns the error for a directive of Redis that must not be ignored, or nil.
func refused(name string) error {
	switch name {
	case "rename-command":
		return errors.New("rename-command is refused: commands keep their names here, " +
			"so a command that it disables would stay available: " +
			"take it away from users with ACL rules such as -flushall")
	case "sentinel":
		return errors.New("sentinel is refused: this server has no sentinel mode")
	}
	return nil
}
