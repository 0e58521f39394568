package config

import (
	"fmt"
	"maps"
	"slices"
)

// MaxMemoryPolicy says which keys may go when maxmemory is reached.
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

// Access says who may use a guarded facility.
type Access string

// The values of enable-debug-command and enable-protected-configs.
const (
	AccessNo    Access = "no"    // nobody
	AccessYes   Access = "yes"   // every client
	AccessLocal Access = "local" // clients of the loopback address or the unix socket
)

// Allows says whether a client may pass, given whether it is local.
func (a Access) Allows(local bool) bool {
	return a == AccessYes || a == AccessLocal && local
}

// LogLevel is the least grave message that is logged.
type LogLevel string

// The log levels, from the most talkative.
const (
	LogDebug   LogLevel = "debug"
	LogVerbose LogLevel = "verbose"
	LogNotice  LogLevel = "notice"
	LogWarning LogLevel = "warning"
)

// TLSAuth says whether TLS clients must present a certificate.
type TLSAuth string

// The values of tls-auth-clients.
const (
	TLSAuthNo       TLSAuth = "no"
	TLSAuthYes      TLSAuth = "yes"
	TLSAuthOptional TLSAuth = "optional" // not needed, but checked when presented
)

// Fsync says when the append-only file is forced to disk.
type Fsync string

// The values of appendfsync.
const (
	FsyncEverySecond Fsync = "everysec"
	FsyncAlways      Fsync = "always"
	FsyncNo          Fsync = "no"
)

// OutputLimit bounds the replies that wait for one client: more than Hard bytes,
// or more than Soft bytes for Seconds without a break, close its connection.
// Zero is no limit.
type OutputLimit struct {
	Hard, Soft int64
	Seconds    int
}

// OutputLimits is client-output-buffer-limit: one limit for each class of client.
type OutputLimits struct{ Normal, Replica, PubSub OutputLimit }

// SavePoint asks for a snapshot when at least Changes keys changed in Seconds.
type SavePoint struct{ Seconds, Changes int64 }

// Config is one set of values. It is never changed once published: CONFIG SET
// clones it, sets, validates and publishes the clone.
type Config struct {
	// Network.
	Bind                    []string // addresses; "*" is all IPv4, "::*" all IPv6, a leading "-" may fail; none: no TCP
	Port                    int      // 0: no plain TCP
	ProtectedMode           bool     // without a password, only loopback clients are served
	TCPBacklog              int
	TCPKeepAlive            int    // seconds, 0: off
	Timeout                 int    // seconds a client may idle, 0: for ever
	UnixSocket              string // path, "": none
	UnixSocketPerm          uint32 // permission bits, 0: as the umask says
	MaxClients              int
	ProtoMaxBulkLen         int64 // bytes of one argument
	ClientQueryBufferLimit  int64 // bytes of one unfinished request
	ClientOutputBufferLimit OutputLimits
	TrackingTableMaxKeys    int64 // 0: unbounded

	// TLS.
	TLSPort                                int // 0: no TLS
	TLSCertFile, TLSKeyFile, TLSCACertFile string
	TLSAuthClients                         TLSAuth

	// Security.
	RequirePass            string
	EnableDebugCommand     Access
	EnableProtectedConfigs Access // who may CONFIG SET protected directives

	// Memory.
	MaxMemory               int64 // bytes, 0: unbounded
	MaxMemoryPolicy         MaxMemoryPolicy
	MaxMemorySamples        int
	LFULogFactor            int
	LFUDecayTime            int // minutes
	ActiveExpireEffort      int // 1 to 10
	ZSetMaxListpackEntries  int64
	ZSetMaxListpackValue    int64 // bytes
	LatencyTracking         bool
	LatencyPercentiles      []float64 // 0 to 100
	LatencyMonitorThreshold int64     // milliseconds, 0: off
	SlowlogLogSlowerThan    int64     // microseconds, 0: every command, -1: none
	SlowlogMaxLen           int64     // entries

	// General.
	Databases       int
	ClusterEnabled  bool
	Hz              int // background rounds a second, 1 to 500
	LogLevel        LogLevel
	LogFile         string // path, "": standard output
	Dir             string // the working directory
	ShutdownTimeout int    // seconds that a shutdown may wait for clients

	// Rate limiting.
	RulesFile string // path, "": none

	// Metrics.
	MetricsPort    int    // 0: none
	MetricsBind    string // an address, "": every one
	MetricsTopKeys int

	// Persistence.
	DBFilename              string
	Save                    []SavePoint
	RDBChecksum             bool
	RDBSkipUnsupported      bool // leave out keys of types that are not kept, instead of refusing the file
	StopWritesOnBGSaveError bool
	AppendOnly              bool
	AppendFsync             Fsync
	AppendFilename          string
	AppendDirName           string
	AOFLoadTruncated        bool
	AutoAOFRewritePercent   int   // growth of the file in percent, 0: never
	AutoAOFRewriteMinSize   int64 // bytes

	// inert holds the values, in CONFIG GET form, of the directives that are
	// kept only to be read back; a name that is missing has its default.
	inert map[string]string
}

// Clone returns a deep copy.
func (c *Config) Clone() *Config {
	n := *c
	n.Bind = slices.Clone(c.Bind)
	n.Save = slices.Clone(c.Save)
	n.LatencyPercentiles = slices.Clone(c.LatencyPercentiles)
	n.inert = maps.Clone(c.inert)
	return &n
}

// Validate checks the relations between directives.
func (c *Config) Validate() error {
	plain, tls := c.Port != 0 && len(c.Bind) > 0, c.TLSPort != 0 && len(c.Bind) > 0
	switch {
	case !plain && !tls && c.UnixSocket == "":
		return fmt.Errorf("configured to not listen anywhere: give a port, a tls-port or a unixsocket")
	case plain && tls && c.Port == c.TLSPort:
		return fmt.Errorf("port and tls-port are both %d", c.Port)
	case c.TLSPort != 0 && (c.TLSCertFile == "" || c.TLSKeyFile == ""):
		return fmt.Errorf("tls-port needs tls-cert-file and tls-key-file")
	case c.TLSPort != 0 && c.TLSAuthClients != TLSAuthNo && c.TLSCACertFile == "":
		return fmt.Errorf("tls-auth-clients %s needs tls-ca-cert-file", c.TLSAuthClients)
	}
	return nil
}
