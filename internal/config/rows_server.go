package config

import (
	"math"

	"cellserver/internal/config/value"
)

var networkDirectives = group("Network", "",
	field("bind", value.Addresses, "127.0.0.1 -::1", func(c *Config) *[]string { return &c.Bind },
		"Addresses to listen on. `*` is every IPv4 address, `::*` every IPv6 one; one with a leading `-` may be missing; none at all is no TCP."),
	field("port", value.Int(0, 65535), "6379", func(c *Config) *int { return &c.Port },
		"TCP port; 0 is none."),
	field("protected-mode", value.YesNo, "yes", func(c *Config) *bool { return &c.ProtectedMode },
		"Without a password, serve none but loopback clients."),
	field("tcp-backlog", value.Int(0, maxInt), "511", func(c *Config) *int { return &c.TCPBacklog },
		"Connections that may wait to be accepted; the system may cap it.").immutable(),
	field("tcp-keepalive", value.Int(0, maxInt), "300", func(c *Config) *int { return &c.TCPKeepAlive },
		"Seconds between probes of a silent connection; 0 is off."),
	field("timeout", value.Int(0, maxInt), "0", func(c *Config) *int { return &c.Timeout },
		"Seconds after which an idle client is disconnected; 0 is never."),
	field("unixsocket", value.Text, "", func(c *Config) *string { return &c.UnixSocket },
		"Path of a unix socket to listen on.").immutable(),
	field("unixsocketperm", value.Octal, "0", func(c *Config) *uint32 { return &c.UnixSocketPerm },
		"Permissions of the unix socket; 0 leaves them to the umask.").immutable(),
	field("maxclients", value.Int(1, math.MaxUint32), "10000", func(c *Config) *int { return &c.MaxClients },
		"Clients served at the same time; one more is told so and disconnected."),
	field("proto-max-bulk-len", value.Memory(1<<20, math.MaxInt64), "536870912", func(c *Config) *int64 { return &c.ProtoMaxBulkLen },
		"Longest argument of a request."),
	field("client-query-buffer-limit", value.Memory(1<<20, math.MaxInt64), "1073741824", func(c *Config) *int64 { return &c.ClientQueryBufferLimit },
		"Bytes of one request that may wait for its end."),
	outputLimits,
	field("tracking-table-max-keys", value.Int64(0, math.MaxInt64), "1000000", func(c *Config) *int64 { return &c.TrackingTableMaxKeys },
		"Keys remembered for CLIENT TRACKING; 0 is no bound."),
)

var tlsDirectives = group("TLS", "",
	field("tls-port", value.Int(0, 65535), "0", func(c *Config) *int { return &c.TLSPort },
		"TCP port for TLS; 0 is none."),
	field("tls-cert-file", value.Text, "", func(c *Config) *string { return &c.TLSCertFile },
		"PEM file of the server's certificate."),
	field("tls-key-file", value.Text, "", func(c *Config) *string { return &c.TLSKeyFile },
		"PEM file of its key."),
	field("tls-ca-cert-file", value.Text, "", func(c *Config) *string { return &c.TLSCACertFile },
		"PEM file of the authorities that sign client certificates."),
	field("tls-auth-clients", value.Enum(TLSAuthNo, TLSAuthYes, TLSAuthOptional), "yes", func(c *Config) *TLSAuth { return &c.TLSAuthClients },
		"Whether a client must present a certificate."),
)

var securityDirectives = group("Security", "",
	field("requirepass", value.Text, "", func(c *Config) *string { return &c.RequirePass },
		"Password that clients must give with AUTH or HELLO.").sensitive(),
	field("enable-debug-command", access, "no", func(c *Config) *Access { return &c.EnableDebugCommand },
		"Who may use DEBUG, the test clock with it: nobody, everyone, or local clients.").immutable(),
	field("enable-protected-configs", access, "no", func(c *Config) *Access { return &c.EnableProtectedConfigs },
		"Who may CONFIG SET the protected directives.").immutable(),
)

// DefaultDir is the default of the directive dir. The server makes this directory if it needs it.
const DefaultDir = "cellserver-data"

var hz = value.Then(value.Int(0, maxInt), func(n int) int { return min(max(n, 1), 500) })

var generalDirectives = group("General", "",
	field("databases", value.Int(1, maxInt), "16", func(c *Config) *int { return &c.Databases },
		"Databases that SELECT knows.").immutable(),
	field("cluster-enabled", value.YesNo, "no", func(c *Config) *bool { return &c.ClusterEnabled },
		"Answer cluster clients, as one node that owns every slot.").immutable(),
	field("hz", hz, "10", func(c *Config) *int { return &c.Hz },
		"Background rounds a second; what lies outside 1…500 is moved inside."),
	field("loglevel", value.Enum(LogDebug, LogVerbose, LogNotice, LogWarning), "notice", func(c *Config) *LogLevel { return &c.LogLevel },
		"The least grave message that is logged."),
	field("logfile", value.Text, "", func(c *Config) *string { return &c.LogFile },
		"File to log to; none is standard output.").immutable(),
	field("dir", value.Text, DefaultDir, func(c *Config) *string { return &c.Dir },
		"Directory of everything that is kept on disk. It must exist, but for the default one, which is made when it is needed.").protected(),
	field("shutdown-timeout", value.Int(0, maxInt), "10", func(c *Config) *int { return &c.ShutdownTimeout },
		"Seconds that a shutdown waits for clients to be answered."),
)

var observeDirectives = group("Observation", "",
	field("slowlog-log-slower-than", value.Int64(-1, math.MaxInt64), "10000", func(c *Config) *int64 { return &c.SlowlogLogSlowerThan },
		"Microseconds from which a command enters SLOWLOG; 0 is every command, -1 none."),
	field("slowlog-max-len", value.Int64(0, math.MaxInt64), "128", func(c *Config) *int64 { return &c.SlowlogMaxLen },
		"Entries that SLOWLOG keeps."),
	field("latency-monitor-threshold", value.Int64(0, math.MaxInt64), "0", func(c *Config) *int64 { return &c.LatencyMonitorThreshold },
		"Milliseconds from which an event enters LATENCY; 0 is off."),
	field("latency-tracking", value.YesNo, "yes", func(c *Config) *bool { return &c.LatencyTracking },
		"Keep a distribution of each command's duration."),
	field("latency-tracking-info-percentiles", value.Percentiles, "50 99 99.9", func(c *Config) *[]float64 { return &c.LatencyPercentiles },
		"Percentiles that INFO latencystats shows."),
)

var persistenceDirectives = group("Persistence", "",
	field("save", savePoints, "", func(c *Config) *[]SavePoint { return &c.Save },
		"Write a snapshot when so many seconds have passed since the last one and there were so many changes; repeatable. "+
			"With any, one is written at the end, too. With `appendonly no` the default is Redis's, `3600 1 300 100 60 10000`."),
	field("dbfilename", value.FileName("dbfilename", "filename", true), "dump.rdb", func(c *Config) *string { return &c.DBFilename },
		"Name of the snapshot.").protected(),
	field("rdbchecksum", value.YesNo, "yes", func(c *Config) *bool { return &c.RDBChecksum },
		"End snapshots in a checksum, so that damage is noticed.").immutable(),
	field("rdb-skip-unsupported", value.YesNo, "no", func(c *Config) *bool { return &c.RDBSkipUnsupported },
		"Leave out and count keys of types that are not kept here (lists, sets, hashes, streams) when a snapshot of Redis is loaded, instead of refusing it."),
	field("stop-writes-on-bgsave-error", value.YesNo, "yes", func(c *Config) *bool { return &c.StopWritesOnBGSaveError },
		"Refuse writes when there are save points and the last snapshot in the background has failed."),
	field("appendonly", value.YesNo, "yes", func(c *Config) *bool { return &c.AppendOnly },
		"Log every change to the append-only file, in the format of Redis 7. `no`, with no `save`, keeps data in memory only."),
	field("appendfsync", value.Enum(FsyncEverySecond, FsyncAlways, FsyncNo), "everysec", func(c *Config) *Fsync { return &c.AppendFsync },
		"When that file is forced to disk: before each reply, once a second, or when the system sees fit. What a power cut can take follows from it; the end of the process alone takes nothing."),
	field("appenddirname", value.FileName("appenddirname", "dirname", false), "appendonlydir", func(c *Config) *string { return &c.AppendDirName },
		"Name of the directory that it is in, in `dir`.").immutable(),
	field("appendfilename", value.FileName("appendfilename", "filename", false), "appendonly.aof", func(c *Config) *string { return &c.AppendFilename },
		"What the names of its files begin with.").immutable(),
	field("aof-load-truncated", value.YesNo, "yes", func(c *Config) *bool { return &c.AOFLoadTruncated },
		"Start though its end is torn, as a power cut leaves it: the torn part is cut off and kept beside it. `no` refuses to start then."),
	field("auto-aof-rewrite-percentage", value.Int(0, maxInt), "400", func(c *Config) *int { return &c.AutoAOFRewritePercent },
		"By how much it grows, in percent of what its last rewrite left, before it is written anew by itself; 0 is never. Redis's default is 100, which throttling would reach every second."),
	field("auto-aof-rewrite-min-size", value.Memory(0, maxLong), "536870912", func(c *Config) *int64 { return &c.AutoAOFRewriteMinSize },
		"Smaller than this it is not written anew by itself."),
)

// outputLimits sets only the classes that its arguments name, so it cannot be made by field.
var outputLimits = Directive{
	Name: "client-output-buffer-limit", Values: "class, hard and soft memory, seconds; repeatable",
	Default: "normal 0 0 0 slave 268435456 67108864 60 pubsub 33554432 8388608 60",
	Summary: "Replies that may wait for a client of class normal, replica or pubsub before it is disconnected.",
	Mutable: true, Many: true,
	get: func(c *Config) string { return c.ClientOutputBufferLimit.String() },
	set: func(c *Config, args []string) error {
		limits, err := c.ClientOutputBufferLimit.with(args)
		if err == nil {
			c.ClientOutputBufferLimit = limits
		}
		return err
	},
}
