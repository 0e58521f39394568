package persistence

import (
	"errors"
	"log/slog"
	"sync"
	"sync/atomic"

	"cellserver/persistence/aof"
	"cellserver/persistence/fs"
	"cellserver/store"
)

// Clock is the server's time, which the edge owns.
type Clock interface {
	Now() int64       // Unix nanoseconds
	Monotonic() int64 // nanoseconds since some fixed moment
}

// Options are what a Manager is made of.
type Options struct {
	Store    *store.Store
	FS       fs.FS
	Clock    Clock
	Log      *slog.Logger
	Settings Settings

	// Changes returns how many changes of the keyspace there have been.
	Changes func() int64
	// Version is the Redis version that files say they are of.
	Version string
	// Foreign runs the commands of a Redis's log.
	Foreign aof.Foreign
	// Condition is called with what clients may do, whenever that changes.
	Condition func(Condition)
}

// Settings are what the configuration says; it may change at any time.
type Settings struct {
	Dir        string // an absolute path
	DBFilename string
	Save       []SavePoint
	Checksum   bool // files end in a checksum

	// StopWrites refuses writes once the last snapshot in the background has failed.
	StopWrites bool
	// SkipUnsupported leaves out keys of types that are not kept here when a file is loaded.
	SkipUnsupported bool

	AppendOnly            bool // keep a log of all changes
	AppendFsync           aof.Policy
	AppendDir, AppendName string // of the log's directory, in Dir, and what its files' names begin with
	LoadTruncated         bool   // do without the end of a log that is torn, instead of refusing it
	RewritePercentage     int64  // by how much the log must grow to be written anew by itself, 0: never
	RewriteMinSize        int64  // and how large it must be, in bytes
}

// SavePoint asks for a snapshot once there were so many changes and the last one is so
// many seconds ago.
type SavePoint struct{ Seconds, Changes int64 }

// Condition is what clients may do.
type Condition struct {
	Loading bool // data is being loaded: little else than INFO
	// SaveFailed refuses writes, because the last snapshot has failed.
	SaveFailed bool
	// LogFailed is why the append-only file cannot be written, "" when it can: limiters go on
	// in memory, other writes are refused. LogStrict refuses everything on keys, as nothing
	// may be told that may be lost (appendfsync always).
	LogFailed string
	LogStrict bool
}

// Manager keeps a store on disk. Its methods are safe for concurrent use.
type Manager struct {
	store   *store.Store
	fs      fs.FS
	clock   Clock
	log     *slog.Logger
	changes func() int64
	version string
	foreign aof.Foreign

	settings atomic.Pointer[Settings]
	home     home
	jobs     jobs
	loading  loading
	saves    saves
	append   appendLog

	telling   sync.Mutex // guards condition, and the order in which it is told
	condition Condition
	tell      func(Condition)
}

// New returns a manager that has done nothing yet: call Start.
func New(o Options) *Manager {
	m := &Manager{
		store: o.Store, fs: o.FS, clock: o.Clock, log: o.Log, changes: o.Changes, version: o.Version, tell: o.Condition, foreign: o.Foreign,
	}
	m.append.journal = aof.NewJournal(o.Settings.AppendFsync, m.logFailed)
	m.append.rewrites.took.Store(-1)
	m.store.Observe(m.append.journal)
	m.settings.Store(&o.Settings)
	m.saves.last.Store(m.clock.Now() / 1e9)
	m.saves.took.Store(-1)
	return m
}

// update changes what clients may do, and tells.
func (m *Manager) update(change func(*Condition)) {
	m.telling.Lock()
	defer m.telling.Unlock()
	was := m.condition
	change(&m.condition)
	if m.condition != was && m.tell != nil {
		m.tell(m.condition)
	}
}

// Configure makes new settings effective, or changes nothing and returns why not. A new
// directory is locked before the old one is let go.
func (m *Manager) Configure(s Settings) error {
	old := m.settings.Load()
	if s.Dir != old.Dir {
		if old.AppendOnly {
			return errors.New("the directory cannot change while appendonly is yes")
		}
		if err := m.home.move(m.fs, s.Dir); err != nil {
			return err
		}
	}
	m.settings.Store(&s)
	m.saveFailed()
	return m.configureLog(old, &s)
}
