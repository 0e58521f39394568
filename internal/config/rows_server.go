package config

import (
	"math"

	"cellserver/internal/config/value"
)

var networkDirectives = group("Network",
	field("bind", value.Addresses, "127.0.0.1 -::1", &fields.Bind),
	field("port", value.Int(0, 65535), "6379", &fields.Port),
	field("protected-mode", value.YesNo, "yes", &fields.ProtectedMode),
	field("tcp-backlog", value.Int(0, maxInt), "511", &fields.TCPBacklog).immutable(),
	field("tcp-keepalive", value.Int(0, maxInt), "300", &fields.TCPKeepAlive),
	field("timeout", value.Int(0, maxInt), "0", &fields.Timeout),
	field("unixsocket", value.Text, "", &fields.UnixSocket).immutable(),
	field("unixsocketperm", value.Octal, "0", &fields.UnixSocketPerm).immutable(),
	field("maxclients", value.Int(1, math.MaxUint32), "10000", &fields.MaxClients),
	field("proto-max-bulk-len", value.Memory(1<<20, math.MaxInt64), "536870912", &fields.ProtoMaxBulkLen),
	field("client-query-buffer-limit", value.Memory(1<<20, math.MaxInt64), "1073741824",
		&fields.ClientQueryBufferLimit),
	outputLimits,
	field("tracking-table-max-keys", value.Int64(0, math.MaxInt64), "1000000",
		&fields.TrackingTableMaxKeys).ofKeys(),
	field("notify-keyspace-events", value.KeyspaceEvents, "", &fields.NotifyKeyspaceEvents).ofKeys(),
)

var tlsDirectives = group("TLS",
	field("tls-port", value.Int(0, 65535), "0", &fields.TLSPort),
	field("tls-cert-file", value.Text, "", &fields.TLSCertFile),
	field("tls-key-file", value.Text, "", &fields.TLSKeyFile),
	field("tls-ca-cert-file", value.Text, "", &fields.TLSCACertFile),
	field("tls-auth-clients", value.Enum(TLSAuthNo, TLSAuthYes, TLSAuthOptional), "yes",
		&fields.TLSAuthClients),
)

var securityDirectives = group("Security",
	field("requirepass", value.Text, "", &fields.RequirePass).sensitive().ofKeys(),
	field("auth-fail-limit", failLimit, "10 60", &fields.AuthFailLimit),
	field("acllog-max-len", value.Int64(0, math.MaxInt64), "128", &fields.ACLLogMaxLen).ofKeys(),
	field("aclfile", value.Text, "", &fields.ACLFile).immutable(),
	field("acl-pubsub-default", value.Enum(AllChannels, ResetChannels), "resetchannels",
		&fields.ACLPubSubDefault).ofKeys(),
	field("enable-debug-command", access, "no", &fields.EnableDebugCommand).immutable(),
	field("enable-protected-configs", access, "no", &fields.EnableProtectedConfigs).immutable(),
)

// DefaultDir is the default of the directive dir. The server makes this directory if it needs it.
const DefaultDir = "cellserver-data"

// logFormat also takes the values of Valkey.
var logFormat = value.Then(value.Enum(LogText, LogJSON, "logfmt", "legacy"), func(f LogFormat) LogFormat {
	if f == LogJSON {
		return LogJSON
	}
	return LogText
})

var hz = value.Then(value.Int(0, maxInt), func(n int) int { return min(max(n, 1), 500) })

var generalDirectives = group("General",
	field("databases", value.Int(1, maxInt), "16", &fields.Databases).immutable(),
	field("hz", hz, "10", &fields.Hz),
	field("loglevel", value.Enum(LogDebug, LogVerbose, LogNotice, LogWarning), "notice", &fields.LogLevel),
	field("log-format", logFormat, "text", &fields.LogFormat),
	field("logfile", value.Text, "", &fields.LogFile).immutable(),
	field("dir", value.Text, DefaultDir, &fields.Dir).protected(),
	field("shutdown-timeout", value.Int(0, maxInt), "10", &fields.ShutdownTimeout),
)

var observeDirectives = group("Observation",
	field("slowlog-log-slower-than", value.Int64(-1, math.MaxInt64), "10000", &fields.SlowlogLogSlowerThan),
	field("slowlog-max-len", value.Int64(0, math.MaxInt64), "128", &fields.SlowlogMaxLen),
	field("latency-monitor-threshold", value.Int64(0, math.MaxInt64), "0", &fields.LatencyMonitorThreshold),
	field("latency-tracking", value.YesNo, "yes", &fields.LatencyTracking),
	field("latency-tracking-info-percentiles", value.Percentiles, "50 99 99.9", &fields.LatencyPercentiles),
)

var persistenceDirectives = group("Persistence",
	field("save", savePoints, "", &fields.Save),
	field("dbfilename", value.FileName("dbfilename", "filename", true), "dump.rdb",
		&fields.DBFilename).protected(),
	field("rdbchecksum", value.YesNo, "yes", &fields.RDBChecksum).immutable(),
	field("rdb-skip-unsupported", value.YesNo, "no", &fields.RDBSkipUnsupported),
	field("stop-writes-on-bgsave-error", value.YesNo, "yes", &fields.StopWritesOnBGSaveError),
	field("appendonly", value.YesNo, "yes", &fields.AppendOnly),
	field("appendfsync", value.Enum(FsyncEverySecond, FsyncAlways, FsyncNo), "everysec", &fields.AppendFsync),
	field("appenddirname", value.FileName("appenddirname", "dirname", false), "appendonlydir",
		&fields.AppendDirName).immutable(),
	field("appendfilename", value.FileName("appendfilename", "filename", false), "appendonly.aof",
		&fields.AppendFilename).immutable(),
	field("aof-load-truncated", value.YesNo, "yes", &fields.AOFLoadTruncated),
	field("auto-aof-rewrite-percentage", value.Int(0, maxInt), "400", &fields.AutoAOFRewritePercent),
	field("auto-aof-rewrite-min-size", value.Memory(0, maxLong), "536870912", &fields.AutoAOFRewriteMinSize),
)

// outputLimits sets only the classes that its arguments name, so field cannot make it.
var outputLimits = Directive{
	Name:    "client-output-buffer-limit",
	Values:  "class (normal, replica or pubsub), hard and soft memory, seconds; repeatable",
	Default: "normal 0 0 0 slave 268435456 67108864 60 pubsub 33554432 8388608 60",
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
