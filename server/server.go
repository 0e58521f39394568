package server

import (
	"cmp"
	"log/slog"
	"strings"

	"cellserver/acl"
	"cellserver/commands"
	"cellserver/internal/config"
	"cellserver/limiters/ruleset"
	"cellserver/server/blocked"
	"cellserver/server/clients"
	"cellserver/server/logins"
	"cellserver/server/monitor"
	"cellserver/server/pubsub"
	"cellserver/server/report"
	"cellserver/server/rulelog"
	"cellserver/server/scripts"
	"cellserver/server/slowlog"
	"cellserver/server/stats"
	"cellserver/server/tracking"
	"cellserver/store"
)

// Server is the state that all clients share. New creates it. All methods are safe for concurrent
// use.
type Server struct {
	parts    commands.Server // for commands
	settings *settings
	clients  *clients.Registry
	listeners
	slow    slowlog.Log
	http    httpGuard
	stats   stats.Stats
	report  *report.Report
	control control
	safety
}

// listeners are the connections that learn what others do.
type listeners struct {
	pubsub   *pubsub.Broker
	tracking *tracking.Table
	monitors monitor.Feed
	blocked  *blocked.Table
}

// Options are the parts of a Server that the edge provides.
type Options struct {
	Store  *store.Store
	Clock  commands.Clock
	Log    *slog.Logger
	Config *config.Config
	// RunID identifies this run of the server: 40 random hexadecimal digits. In cluster mode it is
	// the id of the node.
	RunID string
	// Configured applies each new configuration at the edge, before it is in force. Its error, which
	// may be a [commands.Refusal], cancels the change. Nil does nothing.
	Configured func(old, new *config.Config) error
	Files      Files
	// Shutdown begins to stop the server and returns at once. After an error the server continues. Nil
	// makes SHUTDOWN an error.
	Shutdown func(commands.ShutdownMode) error
	// Persistence keeps the keyspace on disk.
	Persistence commands.Persistence
	// Positions are those of the transport's Barrier; nil if no reply waits.
	Positions Positions
	Others
	// Process has the fields of INFO about the process.
	Process report.Process
}

// Others are the servers with which this one shares its keys.
type Others struct {
	// Topology is the cluster of the server; nil if the server is alone.
	Topology commands.Topology
	// Scripts are those that the nodes of a cluster know; nil if the server is alone.
	Scripts *scripts.Scripts
	// Replication makes the server follow another one; nil if it cannot.
	Replication commands.Replication
}

// Files are the files that commands write at the edge.
type Files struct {
	// Rewrite writes a configuration to the configuration file, for CONFIG REWRITE. Nil if there is
	// no such file.
	Rewrite func(*config.Config) error
	// Users is the aclfile, nil if there is none.
	Users commands.UserFile
}

// New returns a server without clients.
func New(o Options) *Server {
	s := &Server{settings: newSettings(o)}
	s.positions = o.Positions
	users := acl.New(commands.Rights())
	users.SetPassword(o.Config.RequirePass)
	s.settings.users = users
	s.settings.changed = func(old, cfg *config.Config) {
		s.slow.Configure(cfg)
		s.stats.Meters.Watch(strings.Fields(cfg.AdaptiveMetricsKeys))
		if cfg.RequirePass != old.RequirePass {
			users.SetPassword(cfg.RequirePass)
		}
	}
	s.slow.Configure(o.Config)
	config := s.settings.Current
	s.clients = clients.New(config)
	s.pubsub, s.blocked = pubsub.New(), blocked.New(s.mark)
	s.tracking = tracking.New(config, s.clients.Conn)
	s.control.runID, s.control.shutdown, s.control.topology = o.RunID, o.Shutdown, o.Topology
	s.control.replication = o.Replication
	s.stats.Logins = logins.New(config, o.Clock, o.Log)
	ruleSet := new(ruleset.Rules)
	changes := &rulelog.Log{Log: o.Log, Clock: o.Clock, PubSub: s.pubsub}
	ruleSet.Tell(changes.Adopted)
	ruleSet.Clock(o.Clock.Now)
	s.stats.Init()
	s.stats.Meters.Watch(strings.Fields(o.Config.AdaptiveMetricsKeys))
	known := cmp.Or(o.Scripts, &scripts.Scripts{})
	s.report = report.New(report.Sources{
		Store: o.Store, Clock: o.Clock, Config: config, Process: o.Process, Disk: o.Persistence, Control: &s.control,
		Stats: &s.stats, Clients: s.clients, Slow: &s.slow, Rules: ruleSet,
		Scripts: known.Size, Listeners: report.Listeners{PubSub: s.pubsub, Tracking: s.tracking},
	})
	s.parts = commands.Server{
		Store: o.Store, Clock: o.Clock, Log: o.Log, Settings: s.settings, Rules: ruleSet,
		Clients: s.clients, Scripts: known, Disk: o.Persistence, Control: &s.control, Users: users,
		Listeners: commands.Listeners{
			PubSub: s.pubsub, Tracker: s.tracking, Monitors: &s.monitors, KeyWaiters: s.blocked,
			RuleChanges: changes,
		},
		Stats: commands.Stats{
			Commands: &counters{s.stats.Commands, s}, Limited: s.stats.Limited, Meters: s.stats.Meters,
			Slow: &s.slow, Latency: &s.slow,
			Logins: s.stats.Logins, Report: s.report,
		},
	}
	o.Store.CountExternal(ruleSet.Bytes)
	s.control.active.Store(true)
	o.Store.Observe(s)
	o.Store.FenceEvictions(func() bool { return s.control.leads() && !s.Condition().Follows() })
	o.Store.OnRemoved(func(db int, key []byte, evicted bool) {
		s.parts.NotifyRemoved(s.settings.keyspaceEvents(), db, key, evicted)
	})
	return s
}

// Committed passes the effects of a transaction to the rules and to the tracking table. It
// implements [store.Observer]; the partitions of the transaction are locked.
func (s *Server) Committed(tx *store.Tx, effects []store.Effect) {
	s.parts.Rules.Committed(tx, effects)
	s.tracking.Committed(tx, effects)
}

// Config returns the configuration in force. The caller must not change it.
func (s *Server) Config() *config.Config { return s.settings.Current() }

// Replication makes the server follow another one; nil if it cannot.
func (s *Server) Replication() commands.Replication { return s.control.replication }

// Clients returns the number of connections.
func (s *Server) Clients() int { return s.clients.Len() }

// Blocked returns the number of clients whose command waits.
func (s *Server) Blocked() int64 { return s.clients.Blocked() }

// Metrics returns the metrics of the server for Prometheus, in the type [report.MetricsType].
func (s *Server) Metrics() string { return s.report.Metrics() }

// Tick samples rates and peaks, and stores the ledgers of the rules-file. The edge calls it about ten times a
// second.
func (s *Server) Tick() {
	s.report.Tick()
	s.saveLedgers()
}

// RejectedConnection counts a connection that the edge refused.
func (s *Server) RejectedConnection() { s.stats.Totals.Rejected.Add(1) }

// Activity returns a number that changes with each command, of HTTP requests too, and with each effect of
// another node.
func (s *Server) Activity() int64 { return s.stats.Commands.Run() + s.parts.Store.Changes() }

// UseRules replaces the rules of the rules-file. name is the name of the file in errors. See
// [ruleset.Rules.UseFile].
func (s *Server) UseRules(name string, text []byte) error { return s.parts.Rules.UseFile(name, text) }

// WatchRules sets the function that returns the state of the rules-file or the rules-url. Call it before the
// first request.
func (s *Server) WatchRules(source func() ruleset.Source) { s.parts.Rules.Watch(source) }

// MayExpire reports whether the server may remove expired keys in the background at now, in Unix
// nanoseconds. It may not after DEBUG SET-ACTIVE-EXPIRE 0, while clients are paused, and while the server
// follows another one.
func (s *Server) MayExpire(now int64) bool {
	return s.control.active.Load() && !s.clients.PausedAt(now/1e6) && !s.Condition().Follows()
}
