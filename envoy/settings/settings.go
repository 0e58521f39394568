package settings

import (
	"strings"
	"time"
)

// Settings are all settings of a process.
type Settings struct {
	Listen  Listen
	GRPC    GRPC
	Log     Log
	Store   Store
	Source  Source
	Service Service
	Stats   Stats
	Tracing Tracing
	Notes   []string // what is said once at the start
}

// Listen has the addresses.
type Listen struct {
	Host, GRPCHost, DebugHost string
	Port, GRPCPort, DebugPort int
	UnixSocket                string // instead of GRPCHost and GRPCPort
}

// GRPC has the settings of the gRPC server.
type GRPC struct {
	TLS               bool
	Cert, Key         string
	ClientCA          string // "" takes any client
	ClientSAN         string
	MaxAge, AgeGrace  time.Duration
	HealthyWithConfig bool // not before there is a domain
}

// Log has the settings of the log.
type Log struct{ Level, Format string }

// Store says where the counters are.
type Store struct {
	URL                 string // "" counts in this process
	SocketType          string // tcp or unix
	Type                string // SINGLE, SENTINEL or CLUSTER
	Auth, SentinelAuth  string
	TLS                 bool
	Cert, Key, CA       string
	SkipHostnames       bool
	Timeout             time.Duration
	Prefix              string
	HealthNeedsAnAnswer bool
}

// Source says where the rules are.
type Source struct {
	Type                  string // FILE or GRPC_XDS_SOTW
	Root, Subdirectory    string
	AppDirectory          string
	WatchRoot, IgnoreDots bool
	Merge                 bool
	ExtraFile             string // with what rules have besides, or ""
	StartWithoutRules     bool
	XDS                   XDS
}

// XDS says which server has the rules.
type XDS struct {
	URL, Node              string
	Metadata               map[string]string
	Headers                map[string]string
	TLS                    bool
	Cert, Key, CA, SAN     string
	FirstWait, LongestWait time.Duration
}

// Service has the switches of decisions.
type Service struct {
	Shadow, Quota, DynamicMetadata, AllOrNone bool
	CalendarMonths                            bool
	NearLimit                                 float64
	Headers                                   bool
	LimitHeader, RemainingHeader, ResetHeader string
}

// Stats says where metrics go.
type Stats struct {
	Disabled                      bool
	Statsd, DogStatsd, Prometheus bool
	Host                          string
	Port                          int
	Tags                          map[string]string
	Interval                      time.Duration
	Address, Path, MapperFile     string
}

// Tracing says where traces go. The exporter reads the variables OTEL_EXPORTER_OTLP_* itself.
type Tracing struct {
	Enabled                      bool
	Service, Namespace, Instance string
	Protocol                     string // http or grpc
	Sampling                     float64
}

// Read reads the variables.
func Read(lookup func(string) string) (Settings, error) {
	r := &reader{lookup: lookup}
	refuse(r)
	s := Settings{
		Listen: readListen(r), GRPC: readGRPC(r), Store: readStore(r), Source: readSource(r),
		Service: readService(r), Stats: readStats(r), Tracing: readTracing(r), Notes: notesOf(r),
		Log: Log{
			Level: r.choice("LOG_LEVEL", "warn", "panic", "fatal", "error", "warn", "warning", "info",
				"debug", "trace"),
			Format: r.choice("LOG_FORMAT", "text", "text", "json"),
		},
	}
	return s, r.err()
}

func readListen(r *reader) Listen {
	return Listen{
		Host: r.text("HOST", "0.0.0.0"), Port: r.port("PORT", 8080),
		GRPCHost: r.text("GRPC_HOST", "0.0.0.0"), GRPCPort: r.port("GRPC_PORT", 8081),
		DebugHost: r.text("DEBUG_HOST", "0.0.0.0"), DebugPort: r.port("DEBUG_PORT", 6070),
		UnixSocket: r.text("GRPC_UDS", ""),
	}
}

func readGRPC(r *reader) GRPC {
	return GRPC{
		TLS: r.flag("GRPC_SERVER_USE_TLS", false), Cert: r.text("GRPC_SERVER_TLS_CERT", ""),
		Key: r.text("GRPC_SERVER_TLS_KEY", ""), ClientCA: r.text("GRPC_CLIENT_TLS_CACERT", ""),
		ClientSAN:         r.text("GRPC_CLIENT_TLS_SAN", ""),
		MaxAge:            r.duration("GRPC_MAX_CONNECTION_AGE", 24*time.Hour),
		AgeGrace:          r.duration("GRPC_MAX_CONNECTION_AGE_GRACE", time.Hour),
		HealthyWithConfig: r.flag("HEALTHY_WITH_AT_LEAST_ONE_CONFIG_LOADED", false),
	}
}

func readStore(r *reader) Store {
	s := Store{
		URL: r.text("REDIS_URL", ""), SocketType: r.choice("REDIS_SOCKET_TYPE", "", "tcp", "unix"),
		Type: r.choice("REDIS_TYPE", "SINGLE", "SINGLE", "SENTINEL", "CLUSTER"),
		Auth: r.text("REDIS_AUTH", ""), SentinelAuth: r.text("REDIS_SENTINEL_AUTH", ""),
		TLS: r.flag("REDIS_TLS", false), Cert: r.text("REDIS_TLS_CLIENT_CERT", ""),
		Key: r.text("REDIS_TLS_CLIENT_KEY", ""), CA: r.text("REDIS_TLS_CACERT", ""),
		SkipHostnames: r.flag("REDIS_TLS_SKIP_HOSTNAME_VERIFICATION", false),
		Timeout:       r.duration("REDIS_TIMEOUT", 10*time.Second), Prefix: r.text("CACHE_KEY_PREFIX", ""),
		HealthNeedsAnAnswer: r.flag("REDIS_HEALTH_CHECK_ACTIVE_CONNECTION", false),
	}
	if s.SocketType == "" { // a path is clear, and so is an address
		s.SocketType = "tcp"
		if strings.HasPrefix(s.URL, "/") {
			s.SocketType = "unix"
		}
	}
	return s
}

func readSource(r *reader) Source {
	return Source{
		Type:         r.choice("CONFIG_TYPE", "FILE", "FILE", "GRPC_XDS_SOTW"),
		Root:         r.text("RUNTIME_ROOT", "/srv/runtime_data/current"),
		Subdirectory: r.text("RUNTIME_SUBDIRECTORY", ""),
		AppDirectory: r.text("RUNTIME_APPDIRECTORY", "config"), WatchRoot: r.flag("RUNTIME_WATCH_ROOT", true),
		IgnoreDots: r.flag("RUNTIME_IGNOREDOTFILES", false), Merge: r.flag("MERGE_DOMAIN_CONFIG", false),
		ExtraFile:         r.text("RATELIMIT_EXTRA_FILE", ""),
		StartWithoutRules: r.flag("FORCE_START_WITHOUT_INITIAL_CONFIG", false),
		XDS: XDS{
			URL:         r.text("CONFIG_GRPC_XDS_SERVER_URL", "localhost:18000"),
			Node:        r.text("CONFIG_GRPC_XDS_NODE_ID", "default"),
			Metadata:    r.pairs("CONFIG_GRPC_XDS_NODE_METADATA"),
			Headers:     r.pairs("CONFIG_GRPC_XDS_CLIENT_ADDITIONAL_HEADERS"),
			TLS:         r.flag("CONFIG_GRPC_XDS_SERVER_USE_TLS", false),
			Cert:        r.text("CONFIG_GRPC_XDS_CLIENT_TLS_CERT", ""),
			Key:         r.text("CONFIG_GRPC_XDS_CLIENT_TLS_KEY", ""),
			CA:          r.text("CONFIG_GRPC_XDS_SERVER_TLS_CACERT", ""),
			SAN:         r.text("CONFIG_GRPC_XDS_SERVER_TLS_SAN", ""),
			FirstWait:   r.duration("XDS_CLIENT_BACKOFF_INITIAL_INTERVAL", time.Second),
			LongestWait: r.duration("XDS_CLIENT_BACKOFF_MAX_INTERVAL", time.Minute),
		},
	}
}

func readService(r *reader) Service {
	return Service{
		Shadow: r.flag("SHADOW_MODE", false), Quota: r.flag("QUOTA_MODE", false),
		DynamicMetadata: r.flag("RESPONSE_DYNAMIC_METADATA", false),
		AllOrNone:       r.flag("STOP_CACHE_KEY_INCREMENT_WHEN_OVERLIMIT", false),
		CalendarMonths:  r.flag("USE_CALENDAR_MONTH_RATE_LIMIT", false),
		NearLimit:       r.ratio("NEAR_LIMIT_RATIO", 0.8),
		Headers:         r.flag("LIMIT_RESPONSE_HEADERS_ENABLED", false),
		LimitHeader:     r.text("LIMIT_LIMIT_HEADER", "RateLimit-Limit"),
		RemainingHeader: r.text("LIMIT_REMAINING_HEADER", "RateLimit-Remaining"),
		ResetHeader:     r.text("LIMIT_RESET_HEADER", "RateLimit-Reset"),
	}
}

func readStats(r *reader) Stats {
	s := Stats{
		Disabled: r.flag("DISABLE_STATS", false), DogStatsd: r.flag("USE_DOG_STATSD", false),
		Prometheus: r.flag("USE_PROMETHEUS", false), Statsd: r.flag("USE_STATSD", true),
		Host: r.text("STATSD_HOST", "localhost"), Port: r.port("STATSD_PORT", 8125),
		Tags: r.pairs("EXTRA_TAGS"), Interval: r.duration("STATS_FLUSH_INTERVAL", 10*time.Second),
		Address: r.text("PROMETHEUS_ADDR", ":9090"), Path: r.text("PROMETHEUS_PATH", "/metrics"),
		MapperFile: r.text("PROMETHEUS_MAPPER_YAML", ""),
	}
	if s.Interval == 0 {
		r.wrong("STATS_FLUSH_INTERVAL", "0", "a duration above 0")
	}
	return s
}

func readTracing(r *reader) Tracing {
	return Tracing{
		Enabled: r.flag("TRACING_ENABLED", false), Service: r.text("TRACING_SERVICE_NAME", "RateLimit"),
		Namespace: r.text("TRACING_SERVICE_NAMESPACE", ""),
		Instance:  r.text("TRACING_SERVICE_INSTANCE_ID", ""),
		Protocol:  r.choice("TRACING_EXPORTER_PROTOCOL", "http", "http", "grpc"),
		Sampling:  r.ratio("TRACING_SAMPLING_RATE", 1),
	}
}
