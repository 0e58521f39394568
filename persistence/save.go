package persistence

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"sync/atomic"

	"cellserver/persistence/fs"
	"cellserver/persistence/rdb"
	"cellserver/store"
)

// saves is what is known of the snapshots that were written.
type saves struct {
	saved     atomic.Int64 // changes there had been at the last one
	last      atomic.Int64 // Unix second of the last one, or of the start
	took      atomic.Int64 // seconds that the last one in the background took, -1: none yet
	failed    atomic.Bool  // the last one in the background
	tried     atomic.Int64 // Unix second of the last one in the background that was begun
	count     atomic.Int64
	scheduled atomic.Bool
	keys      atomic.Int64 // written so far of the one that runs
	total     atomic.Int64 // that it will be, about
	copied    atomic.Int64 // most bytes that were copied for the last one
	running   atomic.Pointer[store.Snapshot]
}

// Save writes a snapshot and returns once it is on disk, or why it is not: [ErrBusy] while
// one is being written in the background.
func (m *Manager) Save() error {
	j, err := m.jobs.begin(SavingJob, m.clock.Monotonic(), true)
	if err != nil {
		return err
	}
	defer m.jobs.end()
	return m.save(j)
}

// BackgroundSave begins to write a snapshot, or returns why it cannot: [ErrBusy] while
// another job runs.
func (m *Manager) BackgroundSave() error {
	j, err := m.jobs.begin(SavingJob, m.clock.Monotonic(), false)
	if err != nil {
		return err
	}
	m.saves.scheduled.Store(false)
	m.saves.tried.Store(m.clock.Now() / 1e9)
	m.log.Info("a snapshot is written in the background")
	go func() {
		defer m.jobs.end()
		err := m.save(j)
		m.saves.took.Store((m.clock.Monotonic() - j.begun) / 1e9)
		if !errors.Is(err, errStopped) {
			m.saves.failed.Store(err != nil)
			m.saveFailed()
		}
	}()
	return nil
}

// ScheduleSave begins to write a snapshot as soon as no other job runs.
func (m *Manager) ScheduleSave() { m.saves.scheduled.Store(true) }

// LastSave returns the Unix second of the last snapshot that was written, or else of the start.
func (m *Manager) LastSave() int64 { return m.saves.last.Load() }

// saveFailed tells whether writes are refused because snapshots fail.
func (m *Manager) saveFailed() {
	set := m.settings.Load()
	m.update(func(c *Condition) {
		c.SaveFailed = m.saves.failed.Load() && set.StopWrites && len(set.Save) > 0
	})
}

// save writes the dump. What there was before stays until the new one is whole and on disk.
func (m *Manager) save(j *job) error {
	err := m.writeDump(j)
	switch {
	case errors.Is(err, errStopped):
		m.log.Info("a snapshot was stopped")
	case err != nil:
		m.log.Error("a snapshot could not be written", "error", err)
	default:
		m.log.Info("a snapshot is on disk", "milliseconds", (m.clock.Monotonic()-j.begun)/1e6)
	}
	return err
}

func (m *Manager) writeDump(j *job) error {
	set := m.settings.Load()
	if set.DBFilename == "" {
		return errors.New("dbfilename is empty")
	}
	if err := m.home.own(m.fs, set.Dir); err != nil {
		return err
	}
	var changes int64
	now := m.clock.Now()
	snapshot, err := m.store.Snapshot(now, func() { changes = m.changes() })
	if err != nil {
		return err
	}
	defer snapshot.Close()
	defer m.track(snapshot)()
	err = replace(m.fs, set.dump(), j, func(out io.Writer) error {
		return rdb.Save(out, snapshot, rdb.SaveOptions{Facts: m.facts(now, "0"), NoChecksum: !set.Checksum, Keys: &m.saves.keys})
	})
	if err != nil {
		return err
	}
	m.saves.saved.Store(changes)
	m.saves.last.Store(m.clock.Now() / 1e9)
	m.saves.count.Add(1)
	return nil
}

// track shows a snapshot in INFO until what it returns is called.
func (m *Manager) track(n *store.Snapshot) (done func()) {
	s := &m.saves
	s.running.Store(n)
	for _, c := range n.Counts() {
		s.total.Add(int64(c.Keys))
	}
	return func() {
		_, most := n.Copied()
		s.copied.Store(most)
		s.running.Store(nil)
		s.keys.Store(0)
		s.total.Store(0)
	}
}

// dump is the path of the snapshot.
func (s *Settings) dump() string { return filepath.Join(s.Dir, s.DBFilename) }

// facts are what a file says about itself; base is "1" for that of an append-only file.
func (m *Manager) facts(now int64, base string) []rdb.Fact {
	return []rdb.Fact{
		{Name: "redis-ver", Value: m.version}, {Name: "redis-bits", Value: "64"},
		{Name: "ctime", Value: strconv.FormatInt(now/1e9, 10)}, {Name: "used-mem", Value: strconv.FormatInt(m.store.Used(), 10)},
		{Name: "aof-base", Value: base},
	}
}

// tempName is where a file is written before it has its name.
func tempName(name string) string {
	return filepath.Join(filepath.Dir(name), "temp-"+filepath.Base(name))
}

// replace gives a file new contents, or leaves it as it was: whoever reads it, even after
// a crash, finds the old ones or the new ones whole.
func replace(files fs.FS, name string, j *job, write func(io.Writer) error) error {
	temp := tempName(name)
	f, err := files.Open(temp, os.O_WRONLY|os.O_CREATE|os.O_TRUNC)
	if err != nil {
		return err
	}
	w := &steady{file: f, job: j}
	err = write(w)
	if err == nil {
		err = fs.Aside(f.Sync)
	}
	err = errors.Join(err, f.Close())
	if err == nil {
		err = files.Rename(temp, name)
	}
	if err != nil {
		return errors.Join(err, ignoreMissing(files.Remove(temp)))
	}
	return files.SyncDir(filepath.Dir(name))
}

func ignoreMissing(err error) error {
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	return err
}

// steady writes a file, syncing it as it grows, so that the disk is never given everything
// at once, until its job is to stop.
type steady struct {
	file     fs.File
	job      *job
	unsynced int
}

// syncEvery is how many bytes are written between syncs.
const syncEvery = 32 << 20

// Write implements io.Writer.
func (w *steady) Write(p []byte) (int, error) {
	if w.job.stopped.Load() {
		return 0, errStopped
	}
	n, err := w.file.Write(p)
	if w.unsynced += n; err == nil && w.unsynced >= syncEvery {
		w.unsynced = 0
		err = fs.Aside(w.file.Sync)
	}
	return n, err
}
