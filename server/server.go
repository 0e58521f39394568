package server

import (
	"log/slog"
	"sync/atomic"

	"cellserver/commands"
	"cellserver/internal/config"
	"cellserver/limiters/rules"
	"cellserver/server/clients"
	"cellserver/server/monitor"
	"cellserver/server/pubsub"
	"cellserver/server/report"
	"cellserver/server/slowlog"
	"cellserver/server/stats"
	"cellserver/server/tracking"
	"cellserver/store"
)

// Server is what all clients share. It is made by New and safe for concurrent use.
type Server struct {
	parts    commands.Server // as commands see it
	settings *settings
	clients  *clients.Registry
	pubsub   *pubsub.Broker
	tracking *tracking.Table
	monitors monitor.Feed
	slow     slowlog.Log
	http     httpGuard
	stats    stats.Stats
	report   *report.Report
	control  control

	condition atomic.Pointer[Condition] // nil: no condition
}

// Options are what a Server is made of.
type Options struct {
	Store  *store.Store
	Clock  commands.Clock
	Log    *slog.Logger
	Config *config.Config
	// RunID names this run of the server: 40 hexadecimal digits of the edge's randomness. In
	// cluster mode it is the node's id.
	RunID string
	// Configured is called with each new configuration before it takes effect. Its error, which
	// may be a [commands.Refusal], refuses the change. Nil for none.
	Configured func(old, new *config.Config) error
	// Rewrite writes a configuration to the file that the server was started with, for CONFIG
	// REWRITE. Nil if there is none.
	Rewrite func(*config.Config) error
	// Shutdown begins to stop the server and returns at once; its error refuses. Nil refuses
	// always.
	Shutdown func(commands.ShutdownMode) error
	// Persistence keeps the keyspace on disk.
	Persistence commands.Persistence
	// Process is what INFO shows of the process.
	Process report.Process
}

// New returns a server without clients.
func New(o Options) *Server {
	s := &Server{settings: newSettings(o)}
	s.settings.changed = s.slow.Configure
	s.slow.Configure(o.Config)
	config := s.settings.Current
	s.clients = clients.New(config)
	s.pubsub = pubsub.New()
	s.tracking = tracking.New(config, s.clients.Conn)
	s.control.runID, s.control.shutdown = o.RunID, o.Shutdown
	ruleSet := new(rules.Rules)
	s.stats.Init()
	s.report = report.New(report.Sources{
		Store: o.Store, Clock: o.Clock, Config: config, Process: o.Process, Disk: o.Persistence, RunID: o.RunID,
		Stats: &s.stats, Clients: s.clients, PubSub: s.pubsub, Tracking: s.tracking, Slow: &s.slow, Rules: ruleSet,
	})
	s.parts = commands.Server{
		Store: o.Store, Clock: o.Clock, Log: o.Log, Settings: s.settings, Rules: ruleSet,
		Clients: s.clients, PubSub: s.pubsub, Tracker: s.tracking, Monitors: &s.monitors, Disk: o.Persistence, Control: &s.control,
		Stats: commands.Stats{Commands: &counters{s}, Limited: s.stats.Limited, Slow: &s.slow, Latency: &s.slow, Report: s.report},
	}
	s.control.active.Store(true)
	o.Store.Observe(s)
	return s
}

// Committed tells the concerns that follow the keyspace of a transaction's effects. It
// implements [store.Observer].
func (s *Server) Committed(tx *store.Tx, effects []store.Effect) {
	s.parts.Rules.Committed(effects)
	s.tracking.Committed(tx, effects)
}

// Config returns the configuration in force. It must not be changed.
func (s *Server) Config() *config.Config { return s.settings.Current() }

// Clients returns the number of connections.
func (s *Server) Clients() int { return s.clients.Len() }

// Blocked returns the number of clients whose command waits.
func (s *Server) Blocked() int64 { return s.clients.Blocked() }

// Metrics returns the metrics of the server for Prometheus, in the type [report.MetricsType].
func (s *Server) Metrics() string { return s.report.Metrics() }

// Tick samples rates and peaks. The edge calls it about ten times a second.
func (s *Server) Tick() { s.report.Tick() }

// RejectedConnection counts a connection that the edge refused.
func (s *Server) RejectedConnection() { s.stats.Totals.Rejected.Add(1) }

// Changes returns how many effects there have been since the start.
func (s *Server) Changes() int64 { return s.parts.Store.Changes() }

// UseRules replaces the rules of the rules-file. name stands in errors.
func (s *Server) UseRules(name string, text []byte) error { return s.parts.Rules.UseFile(name, text) }

// MayExpire reports whether expired keys may be removed in the background at now, in Unix
// nanoseconds. They must stay after DEBUG SET-ACTIVE-EXPIRE 0, and while clients are paused.
func (s *Server) MayExpire(now int64) bool {
	return s.control.active.Load() && !s.clients.PausedAt(now/1e6)
}
