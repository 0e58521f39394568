package config

import (
	"errors"
	"fmt"
	"maps"
	"slices"
)

// MaxMemoryPolicy says which keys may be evicted at maxmemory.
type MaxMemoryPolicy string

// The eviction policies, as Redis names them.
const (
	NoEviction     MaxMemoryPolicy = "noeviction"
	VolatileLRU    MaxMemoryPolicy = "volatile-lru"
	VolatileLFU    MaxMemoryPolicy = "volatile-lfu"
	VolatileRandom MaxMemoryPolicy = "volatile-random"
	VolatileTTL    MaxMemoryPolicy = "volatile-ttl"
	AllKeysLRU     MaxMemoryPolicy = "allkeys-lru"
	AllKeysLFU     MaxMemoryPolicy = "allkeys-lfu"
	AllKeysRandom  MaxMemoryPolicy = "allkeys-random"
)

// Access says which clients may use a restricted command.
type Access string

// The values of enable-debug-command and enable-protected-configs.
const (
	AccessNo    Access = "no"    // no client
	AccessYes   Access = "yes"   // every client
	AccessLocal Access = "local" // clients from the loopback address or a unix socket
)

// Allows reports whether a client has access. local says that it is from the loopback address or a unix
// socket.
func (a Access) Allows(local bool) bool {
	return a == AccessYes || a == AccessLocal && local
}

// LogLevel is the lowest level of message that is logged.
type LogLevel string

// The log levels, from the lowest.
const (
	LogDebug   LogLevel = "debug"
	LogVerbose LogLevel = "verbose"
	LogNotice  LogLevel = "notice"
	LogWarning LogLevel = "warning"
)

// LogFormat is the form of a line of the log.
type LogFormat string

// The values of log-format.
const (
	LogText LogFormat = "text"
	LogJSON LogFormat = "json"
)

// TLSAuth says whether TLS clients must send a certificate.
type TLSAuth string

// The values of tls-auth-clients.
const (
	TLSAuthNo       TLSAuth = "no"
	TLSAuthYes      TLSAuth = "yes"
	TLSAuthOptional TLSAuth = "optional" // a certificate is checked if the client sends one
)

// Fsync says when the append-only file is synced to disk.
type Fsync string

// The values of appendfsync.
const (
	FsyncEverySecond Fsync = "everysec"
	FsyncAlways      Fsync = "always"
	FsyncNo          Fsync = "no"
)

// UserLine is a line that defines an ACL user.
type UserLine struct {
	Place string   // where the line was found, for errors
	Words []string // the name of the user, and its rules
}

// PubSubDefault says which channels a new user may use before any rule about channels.
type PubSubDefault string

// The values of acl-pubsub-default.
const (
	AllChannels   PubSubDefault = "allchannels"
	ResetChannels PubSubDefault = "resetchannels"
)

// OutputLimit bounds the bytes of replies that wait for one client. The server closes the connection when
// more than Hard bytes wait, or when more than Soft bytes wait for Seconds without a pause. Zero means no
// limit.
type OutputLimit struct {
	Hard, Soft int64
	Seconds    int
}

// OutputLimits is client-output-buffer-limit: a limit for each class of client.
type OutputLimits struct{ Normal, Replica, PubSub OutputLimit }

// FailLimit is auth-fail-limit: how many attempts to authenticate may fail for one client address, at once
// and in Seconds seconds. A Count of 0 means no limit.
type FailLimit struct{ Count, Seconds int64 }

// SavePoint causes a snapshot when there were at least Changes changes, and Seconds seconds have passed since
// the last snapshot.
type SavePoint struct{ Seconds, Changes int64 }

// ScriptErrorStyle says how the errors of scripts read.
type ScriptErrorStyle string

// The values of script-error-style.
const (
	ScriptErrorsOf7 ScriptErrorStyle = "redis7"
	ScriptErrorsOf6 ScriptErrorStyle = "redis6"
)

// Config is one set of values. A published Config never changes: CONFIG SET clones it, sets and validates the
// clone, and publishes the clone.
type Config struct {
	// Network.
	Bind                    []string // addresses; "*" is all IPv4, "::*" all IPv6; with a leading "-" an error is ignored; empty: no TCP
	Port                    int      // 0: no plain TCP
	ProtectedMode           bool     // without a password, accept only clients from the loopback address
	TCPBacklog              int
	TCPKeepAlive            int    // seconds, 0: off
	Timeout                 int    // seconds until an idle client is disconnected, 0: never
	UnixSocket              string // path, "": none
	UnixSocketPerm          uint32 // permission bits, 0: the umask decides
	MaxClients              int
	ProtoMaxBulkLen         int64 // bytes of one argument
	ClientQueryBufferLimit  int64 // bytes of one incomplete request
	ClientOutputBufferLimit OutputLimits
	TrackingTableMaxKeys    int64  // 0: no limit
	NotifyKeyspaceEvents    string // letters, in the order of CONFIG GET

	// Scripts.
	BusyReplyThreshold int64 // milliseconds, 0: never
	ScriptErrorStyle   ScriptErrorStyle
	ScriptMemoryLimit  int64 // bytes of strings and tables that a script makes

	// TLS.
	TLSPort                                int // 0: no TLS
	TLSCertFile, TLSKeyFile, TLSCACertFile string
	TLSAuthClients                         TLSAuth

	// Security.
	RequirePass            string
	AuthFailLimit          FailLimit
	ACLLogMaxLen           int64 // entries
	ACLPubSubDefault       PubSubDefault
	ACLFile                string // path, "": none
	Users                  []UserLine
	EnableDebugCommand     Access
	EnableProtectedConfigs Access // who may change protected directives

	// Memory.
	MaxMemory               int64 // bytes, 0: no limit
	MaxMemoryPolicy         MaxMemoryPolicy
	MaxMemorySamples        int
	LFULogFactor            int
	LFUDecayTime            int // minutes
	ActiveExpireEffort      int // 1 to 10
	HashMaxListpackEntries  int64
	ListMaxListpackSize     int
	HashMaxListpackValue    int64 // bytes
	SetMaxIntsetEntries     int64
	ZSetMaxListpackEntries  int64
	ZSetMaxListpackValue    int64 // bytes
	LatencyTracking         bool
	LatencyPercentiles      []float64 // 0 to 100
	LatencyMonitorThreshold int64     // milliseconds, 0: off
	SlowlogLogSlowerThan    int64     // microseconds, 0: every command, -1: none
	SlowlogMaxLen           int64     // entries

	// General.
	Databases       int
	Hz              int // background rounds a second, 1 to 500
	LogLevel        LogLevel
	LogFile         string // path, "": standard output
	LogFormat       LogFormat
	Dir             string // the working directory
	ShutdownTimeout int    // seconds that a shutdown waits for clients

	// Rate limiting.
	RulesFile      string // path, "": none
	RulesURL       string // "": none
	ClockStepLimit int    // seconds, 0: never

	HTTP HTTP

	// Metrics.
	Metrics             Web
	MetricsTopKeys      int
	AdaptiveMetricsKeys string // up to MostAdaptiveKeys keys

	// Persistence.
	DBFilename              string
	Save                    []SavePoint
	RDBChecksum             bool
	RDBSkipUnsupported      bool // skip what the server does not keep, instead of refusing the file
	StopWritesOnBGSaveError bool
	AppendOnly              bool
	AppendFsync             Fsync
	AppendFilename          string
	AppendDirName           string
	AOFLoadTruncated        bool
	AutoAOFRewritePercent   int   // growth of the file in percent, 0: never
	AutoAOFRewriteMinSize   int64 // bytes

	// Cluster.
	ClusterEnabled bool
	Cluster        Cluster

	Upstream    Upstream
	Replication Replication

	// inert holds the values of inert directives, in the form of CONFIG GET. A missing name has its default.
	inert map[string]string
}

// Clone returns a deep copy.
func (c *Config) Clone() *Config {
	n := *c
	n.Bind = slices.Clone(c.Bind)
	n.Save = slices.Clone(c.Save)
	n.Users = slices.Clone(c.Users)
	n.LatencyPercentiles = slices.Clone(c.LatencyPercentiles)
	n.Cluster.Nodes = slices.Clone(c.Cluster.Nodes)
	n.Upstream.Nodes = slices.Clone(c.Upstream.Nodes)
	n.inert = maps.Clone(c.inert)
	return &n
}

// UsesTLS returns the name of the first directive that asks for TLS, "" for none.
func (c *Config) UsesTLS() (directive string) {
	switch {
	case c.TLSPort != 0:
		return "tls-port"
	case c.HTTP.TLSPort != 0:
		return "http-tls-port"
	case c.Metrics.TLSPort != 0:
		return "metrics-tls-port"
	case c.Cluster.TLS:
		return "tls-cluster"
	}
	return ""
}

// Validate checks the directives against each other.
func (c *Config) Validate() error {
	if err := c.validateListeners(); err != nil {
		return err
	}
	secure := c.UsesTLS()
	plain, tls := c.Port != 0 && len(c.Bind) > 0, c.TLSPort != 0 && len(c.Bind) > 0
	switch {
	case !plain && !tls && c.UnixSocket == "":
		return fmt.Errorf("configured to not listen anywhere: set port, tls-port or unixsocket")
	case c.ACLFile != "" && len(c.Users) > 0:
		return fmt.Errorf("aclfile and user lines exclude each other: define all users in the file, or " +
			"all in the configuration")
	case c.Replication.Of != "" && (c.ClusterEnabled || len(c.Upstream.Nodes) > 0):
		return errors.New("replicaof is for a server that is alone: send REPLICAOF to the leader of a " +
			"cluster with cluster-nodes, once it has formed; a sidecar has no keys")
	case secure == "tls-cluster": // validateCluster knows what it needs
	case secure != "" && (c.TLSCertFile == "" || c.TLSKeyFile == ""):
		return fmt.Errorf("%s needs tls-cert-file and tls-key-file", secure)
	case secure != "" && c.TLSAuthClients != TLSAuthNo && c.TLSCACertFile == "":
		return fmt.Errorf("tls-auth-clients %s needs tls-ca-cert-file", c.TLSAuthClients)
	}
	if err := errors.Join(c.validateUpstream(), c.validateHTTP(), c.validateRules()); err != nil {
		return err
	}
	return c.validateCluster()
}
