package config

import (
	"math"
	"slices"
	"strings"
)

const (
	anyInt  = math.MinInt32 // the least C int
	maxLong = math.MaxInt64
)

// inertDirectives are those of Redis 7.0 that have nothing to act on here. Client tools
// and CONFIG SET find them as in Redis, under Redis's defaults.
var inertDirectives = slices.Concat(
	inertProcess, inertReplication, inertCluster, inertFiles, inertTypes, inertMemory, inertTLS,
)

var inertProcess = group("Redis's process", "how Redis runs as a process",
	inert("daemonize", yesno, "no").immutable().ignored("the server stays in the foreground, for a service manager to hold"),
	inert("supervised", enum("upstart", "systemd", "auto", "no"), "no").immutable(),
	inert("pidfile", text, "").immutable(),
	inert("set-proc-title", yesno, "yes").immutable(),
	inert("proc-title-template", procTitle, "{title} {listen-addr} {server-mode}"),
	inert("always-show-logo", yesno, "no").immutable(),
	inert("syslog-enabled", yesno, "no").immutable().ignored("the log goes to logfile or standard output"),
	inert("syslog-ident", text, "redis").immutable(),
	inert("syslog-facility", enum("user", "local0", "local1", "local2", "local3", "local4", "local5", "local6", "local7"), "local0").immutable(),
	inert("crash-log-enabled", yesno, "yes"),
	inert("crash-memcheck-enabled", yesno, "yes"),
	inert("use-exit-on-panic", yesno, "no").hidden(),
	inert("watchdog-period", number(0, maxInt), "0").hidden(),
	inert("disable-thp", yesno, "yes").immutable(),
	inert("oom-score-adj", oomScore, "no"),
	inert("oom-score-adj-values", oomScores, "0 200 800"),
	inert("server_cpulist", text, "").immutable(),
	inert("bio_cpulist", text, "").immutable(),
	inert("aof_rewrite_cpulist", text, "").immutable(),
	inert("bgsave_cpulist", text, "").immutable(),
	inert("io-threads", number(1, 128), "1").immutable().ignored("one core of two runs commands, of those that GOMAXPROCS allows"),
	inert("io-threads-do-reads", yesno, "no").immutable(),
	inert("ignore-warnings", text, ""),
	inert("bind-source-addr", text, ""),
	inert("socket-mark-id", wide(0, math.MaxUint32), "0").immutable(),
	inert("shutdown-on-sigint", signalFlags, "default"),
	inert("shutdown-on-sigterm", signalFlags, "default"),
	inert("dynamic-hz", yesno, "yes"),
	inert("enable-module-command", access, "no").immutable(),
	inert("aclfile", noACL, "").immutable(),
	inert("acl-pubsub-default", enum("allchannels", "resetchannels"), "resetchannels"),
	inert("acllog-max-len", wide(0, maxLong), "128"),
	inert("busy-reply-threshold", wide(0, maxLong), "5000").alias("lua-time-limit"),
	inert("notify-keyspace-events", keyspaceEvents, ""),
)

var inertReplication = group("Redis's replication", "replication",
	inert("replicaof", replicaOf, "").alias("slaveof").immutable(),
	inert("masterauth", text, "").sensitive(),
	inert("masteruser", text, "").sensitive(),
	inert("replica-serve-stale-data", yesno, "yes").alias("slave-serve-stale-data"),
	inert("replica-read-only", yesno, "yes").alias("slave-read-only"),
	inert("replica-lazy-flush", yesno, "no").alias("slave-lazy-flush"),
	inert("replica-ignore-maxmemory", yesno, "yes").alias("slave-ignore-maxmemory"),
	inert("replica-ignore-disk-write-errors", yesno, "no"),
	inert("replica-priority", number(0, maxInt), "100").alias("slave-priority"),
	inert("replica-announced", yesno, "yes"),
	inert("replica-announce-ip", text, "").alias("slave-announce-ip"),
	inert("replica-announce-port", number(0, 65535), "0").alias("slave-announce-port"),
	inert("min-replicas-to-write", number(0, maxInt), "0").alias("min-slaves-to-write"),
	inert("min-replicas-max-lag", number(0, maxInt), "10").alias("min-slaves-max-lag"),
	inert("repl-disable-tcp-nodelay", yesno, "no"),
	inert("repl-diskless-sync", yesno, "yes"),
	inert("repl-diskless-sync-delay", number(0, maxInt), "5"),
	inert("repl-diskless-sync-max-replicas", number(0, maxInt), "0"),
	inert("repl-diskless-load", enum("disabled", "on-empty-db", "swapdb"), "disabled"),
	inert("repl-timeout", number(1, maxInt), "60"),
	inert("repl-ping-replica-period", number(1, maxInt), "10").alias("repl-ping-slave-period"),
	inert("repl-backlog-size", then(memory(1, maxLong), func(n int64) int64 { return max(n, 16<<10) }), "1048576"),
	inert("repl-backlog-ttl", wide(0, maxLong), "3600"),
	inert("propagation-error-behavior", enum("ignore", "panic", "panic-on-replicas"), "ignore"),
)

var inertCluster = group("Redis's cluster bus", "the bus between cluster nodes",
	inert("cluster-config-file", text, "nodes.conf").immutable(),
	inert("cluster-node-timeout", wide(0, maxLong), "15000"),
	inert("cluster-port", number(0, 65535), "0").immutable(),
	inert("cluster-announce-ip", text, ""),
	inert("cluster-announce-hostname", hostname, ""),
	inert("cluster-announce-port", number(0, 65535), "0"),
	inert("cluster-announce-tls-port", number(0, 65535), "0"),
	inert("cluster-announce-bus-port", number(0, 65535), "0"),
	inert("cluster-preferred-endpoint-type", enum("ip", "hostname", "unknown-endpoint"), "ip"),
	inert("cluster-replica-validity-factor", number(0, maxInt), "10").alias("cluster-slave-validity-factor"),
	inert("cluster-replica-no-failover", yesno, "no").alias("cluster-slave-no-failover"),
	inert("cluster-migration-barrier", number(0, maxInt), "1"),
	inert("cluster-allow-replica-migration", yesno, "yes"),
	inert("cluster-require-full-coverage", yesno, "yes"),
	inert("cluster-allow-reads-when-down", yesno, "no"),
	inert("cluster-allow-pubsubshard-when-down", yesno, "yes"),
	inert("cluster-link-sendbuf-limit", memory(0, maxLong), "0"),
)

var inertFiles = group("Redis's files", "how Redis writes its files",
	inert("rdbcompression", yesno, "yes"),
	inert("rdb-del-sync-files", yesno, "no"),
	inert("rdb-save-incremental-fsync", yesno, "yes"),
	inert("rdb-key-save-delay", number(anyInt, maxInt), "0").hidden(),
	inert("key-load-delay", number(anyInt, maxInt), "0").hidden(),
	inert("loading-process-events-interval-bytes", wide(1024, maxInt), "2097152").hidden(),
	inert("sanitize-dump-payload", enum("no", "yes", "clients"), "no"),
	inert("no-appendfsync-on-rewrite", yesno, "no"),
	inert("aof-rewrite-incremental-fsync", yesno, "yes"),
	inert("aof-use-rdb-preamble", yesno, "yes"),
	inert("aof-timestamp-enabled", yesno, "no"),
	inert("aof-disable-auto-gc", yesno, "no"),
)

var inertTypes = group("Redis's encodings", "how Redis holds values of types that are not here",
	inert("list-max-listpack-size", number(anyInt, maxInt), "-2").alias("list-max-ziplist-size"),
	inert("list-compress-depth", number(0, maxInt), "0"),
	inert("hash-max-listpack-entries", wide(0, maxLong), "512").alias("hash-max-ziplist-entries"),
	inert("hash-max-listpack-value", memory(0, maxLong), "64").alias("hash-max-ziplist-value"),
	inert("set-max-intset-entries", wide(0, maxLong), "512"),
	inert("hll-sparse-max-bytes", memory(0, maxLong), "3000"),
	inert("stream-node-max-bytes", memory(0, maxLong), "4096"),
	inert("stream-node-max-entries", wide(0, maxLong), "100"),
)

var inertMemory = group("Redis's memory", "Redis's own allocator, hash tables and threads",
	inert("maxmemory-clients", memoryOrPercent, "0").ignored("each client is bounded by client-query-buffer-limit and client-output-buffer-limit"),
	inert("maxmemory-eviction-tenacity", number(0, 100), "10"),
	inert("lazyfree-lazy-eviction", yesno, "no"),
	inert("lazyfree-lazy-expire", yesno, "no"),
	inert("lazyfree-lazy-server-del", yesno, "no"),
	inert("lazyfree-lazy-user-del", yesno, "no"),
	inert("lazyfree-lazy-user-flush", yesno, "no"),
	inert("activerehashing", yesno, "yes"),
	inert("jemalloc-bg-thread", yesno, "yes"),
	inert("activedefrag", yesno, "no"),
	inert("active-defrag-cycle-min", number(1, 99), "1"),
	inert("active-defrag-cycle-max", number(1, 99), "25"),
	inert("active-defrag-threshold-lower", number(0, 1000), "10"),
	inert("active-defrag-threshold-upper", number(0, 1000), "100"),
	inert("active-defrag-max-scan-fields", wide(1, maxLong), "1000"),
	inert("active-defrag-ignore-bytes", memory(1, maxLong), "104857600"),
)

var inertTLS = group("Redis's TLS", "what Go's TLS chooses itself, or links that are not here",
	inert("tls-cluster", yesno, "no"),
	inert("tls-replication", yesno, "no"),
	inert("tls-client-cert-file", text, ""),
	inert("tls-client-key-file", text, ""),
	inert("tls-client-key-file-pass", text, "").sensitive(),
	inert("tls-key-file-pass", text, "").sensitive(),
	inert("tls-dh-params-file", text, ""),
	inert("tls-ca-cert-dir", text, ""),
	inert("tls-protocols", text, ""),
	inert("tls-ciphers", text, ""),
	inert("tls-ciphersuites", text, ""),
	inert("tls-prefer-server-ciphers", yesno, "no"),
	inert("tls-session-caching", yesno, "yes"),
	inert("tls-session-cache-size", number(0, maxInt), "20480"),
	inert("tls-session-cache-timeout", number(0, maxInt), "300"),
)

// noACL refuses an ACL file: to ignore one would open what it closes.
var noACL = checked("(none)", func(s string) string {
	if s != "" {
		return "there are no ACL users here: use requirepass"
	}
	return ""
})

var hostname = checked("host name", func(s string) string {
	const allowed = "-.0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
	switch {
	case len(s) >= 256:
		return "Hostnames must be less than 256 characters"
	case strings.Trim(s, allowed) != "":
		return "Hostnames may only contain alphanumeric characters, hyphens or dots"
	}
	return ""
})
