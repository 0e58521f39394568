package commands

import (
	"hash/maphash"
	"log/slog"
	"sync"
	"sync/atomic"

	"cellserver/internal/config"
	"cellserver/store"
)

// Clock is the server's time, which the edge owns.
type Clock interface {
	// Now is the logical time in Unix nanoseconds: what throttling, expiry and TIME
	// follow. It may be set by hand (DEBUG CLOCK).
	Now() int64
	// Monotonic is the real time passed since some fixed moment, in nanoseconds: for
	// measuring.
	Monotonic() int64
	// Read is Now and Monotonic at once.
	Read() (now, monotonic int64)
	// Set stops the logical clock at a time, Advance moves it on (and stops it first if
	// it runs), Resume lets it follow the real time again.
	Set(unixNano int64)
	Advance(nanos int64)
	Resume()
}

// Server is what all clients share. It is made by New and safe for concurrent use.
type Server struct {
	Store *store.Store
	Clock Clock
	Log   *slog.Logger

	config   atomic.Pointer[config.Config]
	changing sync.Mutex // held while CONFIG SET makes the next configuration
	onConfig func(old, new *config.Config) error
	rewrite  func(*config.Config) error
	shutdown func(ShutdownMode) error
	process  Process

	persistence Persistence
	condition   atomic.Pointer[Condition] // nil: nothing keeps commands from running

	// ActiveExpire lets the app sweep expired keys in the background (DEBUG
	// SET-ACTIVE-EXPIRE).
	ActiveExpire atomic.Bool

	runID    string
	started  int64 // logical time of the start, Unix nanoseconds
	since    int64 // monotonic time of the start
	clients  clients
	blocked  atomic.Int64 // clients whose command waits
	pause    atomic.Pointer[pause]
	totals   totals
	stats    []stats // by Command.index
	errors   errorCounts
	top      topKeys
	rules    rules
	rates    rates
	carried  atomic.Pointer[Usage] // what connections had carried at CONFIG RESETSTAT, nil for nothing
	slow     slowWatch
	tracking tracking
	monitors monitors
	pubsub   pubsub
}

// Options are what a Server is made of.
type Options struct {
	Store  *store.Store
	Clock  Clock
	Log    *slog.Logger
	Config *config.Config
	// RunID names this run of the server: 40 hexadecimal digits of the edge's randomness.
	// In cluster mode it is the node's id.
	RunID string
	// Configured is called with each new configuration before it takes effect; its error,
	// which may be a [Refusal], refuses the change. Nil for none.
	Configured func(old, new *config.Config) error
	// Rewrite writes a configuration to the file that the server was started with, for
	// CONFIG REWRITE. Nil when there is none.
	Rewrite func(*config.Config) error
	// Shutdown begins to stop the server and returns at once; its error refuses. Nil
	// refuses always.
	Shutdown func(ShutdownMode) error
	// Persistence keeps the keyspace on disk.
	Persistence Persistence
	// Process is what INFO shows of the process.
	Process Process
}

// New returns a server without clients.
func New(o Options) *Server {
	s := &Server{
		Store: o.Store, Clock: o.Clock, Log: o.Log,
		onConfig: o.Configured, rewrite: o.Rewrite, shutdown: o.Shutdown, process: o.Process, persistence: o.Persistence,
		runID: o.RunID, started: o.Clock.Now(), since: o.Clock.Monotonic(),
		stats: make([]stats, len(everyCommand)),
	}
	s.publish(o.Config)
	s.ActiveExpire.Store(true)
	s.clients.byID = map[int64]*Client{}
	s.top.seed = maphash.MakeSeed()
	s.tracking.init(s)
	s.pubsub.channels = map[string][]*Client{}
	s.Store.Observe(s)
	return s
}

// Config returns the configuration in force. It must not be changed.
func (s *Server) Config() *config.Config { return s.config.Load() }

// publish puts a configuration into force.
func (s *Server) publish(cfg *config.Config) {
	s.config.Store(cfg)
	s.slow.configure(cfg)
}

// Committed tells those who follow the keyspace of a transaction's effects; it
// implements [store.Observer].
func (s *Server) Committed(tx *store.Tx, effects []store.Effect) {
	s.rules.committed(effects)
	if s.tracking.on.Load() > 0 {
		s.tracking.settle(tx, effects)
	}
}
