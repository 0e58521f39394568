package config

import (
	"math"

	"cellserver/internal/config/value"
)

var networkDirectives = group("Network", "",
	field("bind", value.Addresses, "127.0.0.1 -::1", &fields.Bind,
		"Addresses to listen on. `*` is every IPv4 address, `::*` every IPv6 address. The server "+
			"starts without an address that has a leading `-`, if it is not available. An empty list "+
			"is no TCP."),
	field("port", value.Int(0, 65535), "6379", &fields.Port,
		"TCP port; 0 is none."),
	field("protected-mode", value.YesNo, "yes", &fields.ProtectedMode,
		"Without a password, accept only clients from the loopback address."),
	field("tcp-backlog", value.Int(0, maxInt), "511", &fields.TCPBacklog,
		"Connections that may wait to be accepted; the system may set a lower limit.").immutable(),
	field("tcp-keepalive", value.Int(0, maxInt), "300", &fields.TCPKeepAlive,
		"Seconds between probes of a silent connection; 0 is off."),
	field("timeout", value.Int(0, maxInt), "0", &fields.Timeout,
		"Seconds until an idle client is disconnected; 0 is never."),
	field("unixsocket", value.Text, "", &fields.UnixSocket,
		"Path of a unix socket to listen on.").immutable(),
	field("unixsocketperm", value.Octal, "0", &fields.UnixSocketPerm,
		"Permissions of the unix socket; with 0 the umask decides.").immutable(),
	field("maxclients", value.Int(1, math.MaxUint32), "10000", &fields.MaxClients,
		"Maximum number of clients at the same time. A further client gets an error and is disconnected."),
	field("proto-max-bulk-len", value.Memory(1<<20, math.MaxInt64), "536870912", &fields.ProtoMaxBulkLen,
		"Longest argument of a request, in bytes."),
	field("client-query-buffer-limit", value.Memory(1<<20, math.MaxInt64), "1073741824",
		&fields.ClientQueryBufferLimit,
		"Maximum number of bytes of an incomplete request."),
	outputLimits,
	field("tracking-table-max-keys", value.Int64(0, math.MaxInt64), "1000000", &fields.TrackingTableMaxKeys,
		"Maximum number of keys that are remembered for CLIENT TRACKING; 0 is no limit.").ofKeys(),
	field("notify-keyspace-events", value.KeyspaceEvents, "", &fields.NotifyKeyspaceEvents,
		"Which changes of keys the server publishes: classes (`g$zxe`, `A` for all of them) and "+
			"channels (`K` by key, `E` by event); empty is none.").ofKeys(),
)

var tlsDirectives = group("TLS", "",
	field("tls-port", value.Int(0, 65535), "0", &fields.TLSPort,
		"TCP port for TLS; 0 is none."),
	field("tls-cert-file", value.Text, "", &fields.TLSCertFile,
		"PEM file of the server's certificate."),
	field("tls-key-file", value.Text, "", &fields.TLSKeyFile,
		"PEM file of the certificate's private key."),
	field("tls-ca-cert-file", value.Text, "", &fields.TLSCACertFile,
		"PEM file of the certificate authorities for client certificates."),
	field("tls-auth-clients", value.Enum(TLSAuthNo, TLSAuthYes, TLSAuthOptional), "yes",
		&fields.TLSAuthClients,
		"Whether a client must send a certificate."),
)

var securityDirectives = group("Security", "",
	field("requirepass", value.Text, "", &fields.RequirePass,
		"Password that clients must send with AUTH or HELLO.").sensitive().ofKeys(),
	field("auth-fail-limit", failLimit, "10 60", &fields.AuthFailLimit,
		"How many different passwords and tokens of one client address may be wrong, and in how many "+
			"seconds. The server refuses further new ones until the time in the error has passed. "+
			"`0 0` is no limit."),
	field("acllog-max-len", value.Int64(0, math.MaxInt64), "128", &fields.ACLLogMaxLen,
		"Maximum number of entries that ACL LOG keeps: failed attempts to authenticate, and commands "+
			"that their user may not run.").ofKeys(),
	field("aclfile", value.Text, "", &fields.ACLFile,
		"File of the [ACL users](acl.md), one in each line. It must exist. It is an error to use an aclfile and lines `user name rule…` in the configuration.").immutable(),
	field("acl-pubsub-default", value.Enum(AllChannels, ResetChannels), "resetchannels",
		&fields.ACLPubSubDefault,
		"Whether the rules of a new ACL user begin with all channels, or with none.").ofKeys(),
	field("enable-debug-command", access, "no", &fields.EnableDebugCommand,
		"Who may use DEBUG, also for the test clock: nobody, everybody, or local clients.").immutable(),
	field("enable-protected-configs", access, "no", &fields.EnableProtectedConfigs,
		"Who may change protected directives with CONFIG SET: nobody, everybody, or local clients.").immutable(),
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

var generalDirectives = group("General", "",
	field("databases", value.Int(1, maxInt), "16", &fields.Databases,
		"Number of databases for SELECT.").immutable(),
	field("hz", hz, "10", &fields.Hz,
		"Background rounds a second. A number outside 1…500 is replaced by the nearest bound."),
	field("loglevel", value.Enum(LogDebug, LogVerbose, LogNotice, LogWarning), "notice", &fields.LogLevel,
		"The lowest level of message that is logged."),
	field("log-format", logFormat, "text", &fields.LogFormat,
		"Form of a line of the [log](operating.md#log-lines). "+
			"Valkey's values `logfmt` and `legacy` are `text`."),
	field("logfile", value.Text, "", &fields.LogFile,
		"Log file; empty is standard output.").immutable(),
	field("dir", value.Text, DefaultDir, &fields.Dir,
		"Directory of the data. It must exist. Only the default directory is created when it is needed. "+
			"A relative path of another directive begins in the directory where the server was started. "+
			"If the file is not there but in `dir`, it is that one.").protected(),
	field("shutdown-timeout", value.Int(0, maxInt), "10", &fields.ShutdownTimeout,
		"Maximum number of seconds that a shutdown waits until clients have their replies."),
)

var observeDirectives = group("Observation", "",
	field("slowlog-log-slower-than", value.Int64(-1, math.MaxInt64), "10000", &fields.SlowlogLogSlowerThan,
		"A command that takes this many microseconds or more enters SLOWLOG; 0 is every command, -1 is none."),
	field("slowlog-max-len", value.Int64(0, math.MaxInt64), "128", &fields.SlowlogMaxLen,
		"Maximum number of entries that SLOWLOG keeps."),
	field("latency-monitor-threshold", value.Int64(0, math.MaxInt64), "0", &fields.LatencyMonitorThreshold,
		"An event that takes this many milliseconds or more enters LATENCY; 0 is off."),
	field("latency-tracking", value.YesNo, "yes", &fields.LatencyTracking,
		"Keep a histogram of each command's duration."),
	field("latency-tracking-info-percentiles", value.Percentiles, "50 99 99.9", &fields.LatencyPercentiles,
		"Percentiles that INFO latencystats shows."),
)

var persistenceDirectives = group("Persistence", "",
	field("save", savePoints, "", &fields.Save,
		"Write a snapshot if both hold: this many seconds have passed since the last one, and there "+
			"were this many changes; repeatable. "+
			"With any pair, the server also writes a snapshot when it stops. With `appendonly no` the "+
			"default is that of Redis, `3600 1 300 100 60 10000`."),
	field("dbfilename", value.FileName("dbfilename", "filename", true), "dump.rdb", &fields.DBFilename,
		"File name of the snapshot.").protected(),
	field("rdbchecksum", value.YesNo, "yes", &fields.RDBChecksum,
		"Write a checksum at the end of a snapshot, to detect damage.").immutable(),
	field("rdb-skip-unsupported", value.YesNo, "no", &fields.RDBSkipUnsupported,
		"Load a snapshot of Redis that contains unsupported types, such as streams: skip and count "+
			"their keys. `no` refuses such a snapshot."),
	field("stop-writes-on-bgsave-error", value.YesNo, "yes", &fields.StopWritesOnBGSaveError,
		"Refuse writes if the last background snapshot failed and there are save points."),
	field("appendonly", value.YesNo, "yes", &fields.AppendOnly,
		"Log every change to the append-only file, in the format of Redis 7. `no` without `save` keeps "+
			"data in memory only."),
	field("appendfsync", value.Enum(FsyncEverySecond, FsyncAlways, FsyncNo), "everysec", &fields.AppendFsync,
		"When the append-only file is synced to disk (fsync): before each reply, once a second, or "+
			"when the system decides. A power cut loses the changes since the last sync. If only the "+
			"process ends, no change is lost."),
	field("appenddirname", value.FileName("appenddirname",
		"dirname", false), "appendonlydir", &fields.AppendDirName,
		"Name of the append-only file's directory, inside `dir`.").immutable(),
	field("appendfilename", value.FileName("appendfilename",
		"filename", false), "appendonly.aof", &fields.AppendFilename,
		"First part of the names of the append-only files.").immutable(),
	field("aof-load-truncated", value.YesNo, "yes", &fields.AOFLoadTruncated,
		"Start if the append-only file has a torn tail, as after a power cut. The server cuts the torn "+
			"tail off and keeps it in a file of its own. `no` refuses to start."),
	field("auto-aof-rewrite-percentage", value.Int(0, maxInt), "400", &fields.AutoAOFRewritePercent,
		"The append-only file is rewritten when it has grown by this percentage since its last "+
			"rewrite; 0 is never. Redis's default is 100, which a busy rate limiter reaches every "+
			"second."),
	field("auto-aof-rewrite-min-size", value.Memory(0, maxLong), "536870912", &fields.AutoAOFRewriteMinSize,
		"A smaller append-only file is not rewritten automatically."),
)

// outputLimits sets only the classes that its arguments name, so field cannot make it.
var outputLimits = Directive{
	Name:    "client-output-buffer-limit",
	Values:  "class (normal, replica or pubsub), hard and soft memory, seconds; repeatable",
	Default: "normal 0 0 0 slave 268435456 67108864 60 pubsub 33554432 8388608 60",
	Summary: "Maximum number of bytes of replies that may wait for a client of class normal, replica " +
		"or pubsub: at once (hard), or for some seconds (soft). A client beyond its limit is " +
		"disconnected.",
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
