package persistence

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"sync"
	"sync/atomic"

	"cellserver/persistence/aof"
	"cellserver/persistence/fs"
	"cellserver/store"
)

// Options are the parts and settings of a Manager.
type Options struct {
	Store    *store.Store
	FS       fs.FS
	Clock    Clock
	Log      *slog.Logger
	Settings Settings

	// Version is the Redis version that the files name.
	Version string
	// Replayer runs the commands of logs that a Redis wrote.
	Replayer aof.Replayer
	// Loaded is called after the data was loaded, before the condition says so. It may be nil.
	Loaded func()
	// Condition gets each new [Condition]. It may be nil.
	Condition func(Condition)
}

// Manager keeps a store on disk. Its methods are safe for concurrent use.
type Manager struct {
	environment
	directory directory
	jobs      jobs
	progress  loadProgress
	loader    loader
	snapshots snapshots
	appendLog appendLog
	looked    atomic.Int64 // monotonic time of the last look for lost files
	loaded    func()       // may be nil
}

// New returns a manager that does nothing before [Manager.Start].
func New(o Options) *Manager {
	m := &Manager{environment: environment{
		store: o.Store, fs: o.FS, clock: o.Clock, log: o.Log, version: o.Version, changeCondition: o.Condition,
	}, loaded: o.Loaded}
	env := &m.environment
	env.settings.Store(&o.Settings)
	m.jobs.ended = sync.NewCond(&m.jobs.mu)
	m.progress.environment = env
	m.loader.loadProgress, m.loader.replayer = &m.progress, o.Replayer
	s := &m.snapshots
	s.environment, s.directory, s.jobs = env, &m.directory, &m.jobs
	s.last.Store(m.clock.Now() / 1e9)
	s.took.Store(-1)
	a := &m.appendLog
	a.environment, a.directory, a.jobs = env, &m.directory, &m.jobs
	a.journal = aof.NewJournal(o.Settings.AppendFsync, a.failed)
	s.journal = a.journal
	a.rewrites.took.Store(-1)
	m.store.Observe(a.journal)
	return m
}

// Start loads the files into the store, unless the snapshots are exports, and then keeps the store on disk.
// The store must be empty. Until Start returns, the condition is Loading. An error says what to do. After an
// error nothing on disk has changed, but the store may have a part of the data: do not serve it. If ctx
// ends, Start ends early with ctx's error.
func (m *Manager) Start(ctx context.Context) error {
	m.update(func(c *Condition) { c.Loading = true })
	set := m.settings.Load()
	inv, err := m.take(set)
	if err == nil && inv.empty() && len(inv.copies) > 0 {
		m.progress.log.Warn("the server begins empty, beside files that may be copies of data: to load one, "+
			"unpack it, put it into another directory as dump.rdb, and start the server with this dir; "+
			".old at the end of its name ends this warning", "dir", set.Dir, "files", aof.Names(inv.copies))
	}
	if err == nil && !set.Exports {
		err = m.loadAll(ctx, set, inv)
	}
	if err == nil && set.writes() && set.DBFilename != "" {
		err = fs.IgnoreMissing(m.fs.Remove(fs.TempName(set.dump())))
	}
	if err != nil {
		return err
	}
	m.snapshots.saved.Store(m.store.Changes())
	m.snapshots.last.Store(m.clock.Now() / 1e9) // the files may have moved the time
	m.endLoading()
	return nil
}

// take owns the directory if the server will write to it, and returns what the directory holds. Nobody else
// may change it meanwhile, so a locked directory is a reason to stop. The first file in a new directory is
// its lock.
func (m *Manager) take(set *Settings) (*inventory, error) {
	locked, err := fs.Exists(m.fs, filepath.Join(set.Dir, lockName))
	if err == nil && locked && set.writes() {
		err = m.directory.own(m.fs, set.Dir)
	}
	if err != nil {
		return nil, access(err)
	}
	inv, err := takeInventory(m.fs, set)
	if err == nil {
		err = inv.check(set)
	}
	if err == nil && set.writes() {
		err = access(m.directory.own(m.fs, set.Dir))
	}
	return inv, err
}

// loadAll loads the append-only file if the settings ask for one and it exists, else the snapshot.
func (m *Manager) loadAll(ctx context.Context, set *Settings, inv *inventory) error {
	if !set.AppendOnly {
		err := m.loader.dump(ctx, set, inv)
		if err == nil {
			m.progress.continueTime()
		}
		return err
	}
	a := &m.appendLog
	a.wanted.Store(true)
	loaded, err := m.loader.read(ctx, set, inv)
	if err != nil {
		return err
	}
	m.progress.continueTime()
	err = a.begin(inv.log, loaded)
	if loaded != nil && fs.IsFull(err) { // as after a failed write: the keys are complete, and a rewrite follows
		a.journal.GiveUp(nil, err)
		return nil
	}
	return access(err)
}

// Takeover loads the files of a server that does not run: its log, or else its snapshot. The keys then belong
// to somebody else. Takeover changes nothing. The caller calls retire when the keys are safe at their new
// place. It gives the log another name, so that no start takes it for the present one.
func (m *Manager) Takeover(ctx context.Context) (retire func() error, err error) {
	set := m.settings.Load()
	inv, err := takeInventory(m.fs, set)
	if err == nil {
		err = inv.check(set)
	}
	if err != nil {
		return nil, err
	}
	if inv.empty() {
		return nil, fmt.Errorf("%s has neither a log nor a snapshot: "+
			"name the directory or the RDB file that has the keys", set.Dir)
	}
	if _, err := m.loader.read(ctx, set, inv); err != nil {
		return nil, err
	}
	return inv.log.Retire, nil
}

// LoadSnapshot loads the snapshot of the settings alone.
func (m *Manager) LoadSnapshot(ctx context.Context) error {
	set := m.settings.Load()
	_, err := m.loader.snapshot(ctx, set, set.dump())
	return err
}

// Configure applies new settings. After an error nothing has changed. It locks a new directory
// before it releases the old one.
func (m *Manager) Configure(s Settings) error {
	old := m.settings.Load()
	moves, logs := s.Dir != old.Dir, s.AppendOnly && !old.AppendOnly
	if moves && old.AppendOnly {
		return errors.New("the directory cannot change while appendonly is yes: set appendonly to no first")
	}
	if logs {
		if err := m.appendLog.mayBegin(&s, moves); err != nil {
			return err
		}
	}
	if moves || logs {
		if err := m.directory.move(m.fs, s.Dir, logs); err != nil {
			return err
		}
	}
	if moves {
		m.appendLog.leave()
	}
	m.settings.Store(&s)
	m.snapshots.updateCondition()
	return m.appendLog.configure(old, &s)
}

// Save writes a snapshot. It returns when the snapshot is on disk, or with an error: [ErrBusy] while the
// server writes another snapshot.
func (m *Manager) Save() error { return m.snapshots.foreground() }

// BackgroundSave begins to write a snapshot, or returns why it cannot: [ErrBusy] while
// another job runs.
func (m *Manager) BackgroundSave() error { return m.snapshots.background() }

// ScheduleSave begins to write a snapshot as soon as no other job runs.
func (m *Manager) ScheduleSave() { m.snapshots.scheduled.Store(true) }

// LastSave returns the Unix second of the last snapshot, or of the start.
func (m *Manager) LastSave() int64 { return m.snapshots.lastByWall() }

// BackgroundRewrite begins to rewrite the append-only file, or fails with [ErrBusy] while another
// job runs.
func (m *Manager) BackgroundRewrite() error { return m.appendLog.background() }

// ScheduleRewrite begins to rewrite the append-only file as soon as no other job runs.
func (m *Manager) ScheduleRewrite() { m.appendLog.scheduled.Store(true) }

// Journal returns the journal of the append-only file: a reply waits for it until the changes are safe.
func (m *Manager) Journal() *aof.Journal { return m.appendLog.journal }

// Full reports whether many changes wait for the append-only file ([aof.Journal.Full]).
func (m *Manager) Full() bool { return m.appendLog.journal.Full() }

// Relieve writes the changes that wait for the append-only file if they are many ([aof.Journal.Relieve]).
func (m *Manager) Relieve() { m.appendLog.journal.Relieve() }

// Writing returns the running job: "rdb" for a snapshot, "aof" for a rewrite of the append-only
// file, or "".
func (m *Manager) Writing() string {
	kind, _ := m.jobs.running()
	return kind
}

// idle reports whether no job runs and the load is complete.
func (m *Manager) idle() bool {
	kind, _ := m.jobs.running()
	return kind == noJob && !m.loading()
}

// Tick begins a rewrite or a snapshot that is due, and calls [aof.Journal.Tick]. Call it ten times a second,
// from a goroutine that may wait for the disk.
func (m *Manager) Tick() {
	now := m.clock.Monotonic()
	m.appendLog.journal.Tick(now)
	if m.looksNow(now) && !m.loading() {
		m.checkFiles()
	}
	// Both fail if another job began meanwhile: then the next Tick tries again. The rewrite is first, because it
	// may end a failure of the log.
	if m.idle() && m.appendLog.due(now) {
		_ = m.BackgroundRewrite()
	}
	if m.idle() && m.snapshots.due() {
		_ = m.BackgroundSave()
	}
}

// Flushed follows FLUSHALL. It stops a running snapshot. If there are save points, it writes an
// empty snapshot, so the flushed keys do not come back.
func (m *Manager) Flushed() {
	m.jobs.stop(false, savingJob)
	if len(m.settings.Load().Save) > 0 {
		_ = m.snapshots.saveAgain() // logs its own error
	}
}

var errForeign = errors.New("the keys are those of a cluster or of another server, which may change them meanwhile")

// Reload writes a snapshot and replaces the keyspace by its contents. It rewrites the log, which does not say
// what has expired meanwhile. If the load fails, keys are missing, and the condition stays Loading. So nothing
// replaces the files, and the next start has all keys.
func (m *Manager) Reload() error {
	switch {
	case m.loading():
		return ErrBusy
	case m.settings.Load().Exports || m.store.KeepsExpired():
		return errForeign
	}
	j, err := m.jobs.begin(savingJob, m.clock.Monotonic(), true)
	if err != nil {
		return err
	}
	defer m.jobs.end()
	m.update(func(c *Condition) { c.Loading = true })
	set := m.settings.Load()
	for emptied := false; !emptied; emptied = m.empty(set) {
		set = m.settings.Load()
		if err := m.snapshots.write(j); err != nil {
			m.endLoading()
			return err
		}
	}
	if _, err = m.loader.snapshot(context.Background(), set, set.dump()); err != nil {
		return fmt.Errorf("keys are missing, and clients get LOADING: start the server again: %w", err)
	}
	defer m.endLoading()
	if m.appendLog.wanted.Load() {
		m.appendLog.renew(j)
	}
	return nil
}

// Adopt replaces the keys by those of another store, as [store.Store.Adopt] does, and returns when they are
// on disk. Until then the old files are the data of a start. If the disk fails, the keys stay in memory, and
// the log is rewritten when the disk works.
func (m *Manager) Adopt(from *store.Store) error {
	j, err := m.jobs.interrupt(rewriteJob, m.clock.Monotonic(), savingJob, rewriteJob)
	if err != nil {
		return err
	}
	defer m.jobs.end()
	a := &m.appendLog
	a.journal.Sync()
	m.store.Adopt(from, a.journal.Suspend)
	switch {
	case a.wanted.Load():
		a.renew(j)
	case len(m.settings.Load().Save) > 0:
		_ = m.snapshots.write(j) // it logs its error, and the next save point tries again
	}
	return nil
}

// endLoading ends the condition Loading.
func (m *Manager) endLoading() {
	if m.loaded != nil {
		m.loaded()
	}
	m.update(func(c *Condition) { c.Loading = false })
}

// empty removes every key if the last snapshot has all changes, at the place of the settings. Commands that were
// already running may have changed keys after the snapshot.
func (m *Manager) empty(set *Settings) bool {
	tx := m.lockAll()
	defer tx.End()
	if m.snapshots.unsaved() != 0 || m.settings.Load() != set {
		return false
	}
	for db := store.Own; db < m.store.Databases(); db++ {
		tx.Select(db)
		tx.Flush()
	}
	return true
}

// PrepareStop stops a running snapshot. It writes a last snapshot if save is true, or if there are
// save points and noSave is false. During the load it writes none, as in Redis. A snapshot with a part of the
// keys would replace the file that is being loaded. PrepareStop succeeds if FLUSHALL or another stop ends the
// snapshot: [Manager.Stop] writes what is missing then. After an error the server should continue.
func (m *Manager) PrepareStop(save, noSave bool) error {
	m.jobs.stop(false, savingJob)
	if !m.savesAtStop(save, noSave) {
		return nil
	}
	if err := m.snapshots.saveAgain(); !errors.Is(err, errStopped) {
		return err
	}
	return nil
}

// Stop ends everything and releases the directory. It also writes the changes since [Manager.PrepareStop].
// The caller makes sure that no client is served any more.
func (m *Manager) Stop(save, noSave bool) error {
	defer m.directory.release()
	m.checkFiles()
	m.jobs.stop(false, savingJob)
	var err error
	if m.savesAtStop(save, noSave) && m.snapshots.unsaved() != 0 {
		err = m.snapshots.saveAgain()
	}
	m.jobs.stop(true, savingJob, rewriteJob)
	return errors.Join(err, m.appendLog.end())
}

func (m *Manager) savesAtStop(save, noSave bool) bool {
	return !m.loading() && (save || !noSave && len(m.settings.Load().Save) > 0)
}

// Info adds the fields of INFO's section on persistence, in Redis's order.
func (m *Manager) Info(add func(name string, value any)) {
	m.progress.info(add)
	m.snapshots.infoRunning(add)
	m.snapshots.info(add, &m.progress)
	m.appendLog.info(add)
	add("module_fork_in_progress", 0)
	add("module_fork_last_cow_size", 0)
	if m.progress.active.Load() {
		m.progress.infoDetails(add)
	}
}
