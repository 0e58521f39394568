package persistence

import (
	"log/slog"
	"sync"
	"sync/atomic"

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
}

// SavePoint asks for a snapshot once there were so many changes and the last one is so
// many seconds ago.
type SavePoint struct{ Seconds, Changes int64 }

// Condition is what clients may do.
type Condition struct {
	Loading bool // data is being loaded: little else than INFO
	// SaveFailed refuses writes, because the last snapshot has failed.
	SaveFailed bool
}

// Manager keeps a store on disk. Its methods are safe for concurrent use.
type Manager struct {
	store   *store.Store
	fs      fs.FS
	clock   Clock
	log     *slog.Logger
	changes func() int64
	version string

	settings atomic.Pointer[Settings]
	home     home
	jobs     jobs
	loading  loading
	saves    saves

	telling   sync.Mutex // guards condition, and the order in which it is told
	condition Condition
	tell      func(Condition)
}

// New returns a manager that has done nothing yet: call Start.
func New(o Options) *Manager {
	m := &Manager{
		store: o.Store, fs: o.FS, clock: o.Clock, log: o.Log, changes: o.Changes, version: o.Version, tell: o.Condition,
	}
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
		if err := m.home.move(m.fs, s.Dir); err != nil {
			return err
		}
	}
	m.settings.Store(&s)
	m.saveFailed()
	return nil
}
