package persistence

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"sync/atomic"

	"cellserver/persistence/fs"
	"cellserver/persistence/rdb"
	"cellserver/store"
)

// loading is how far the loading has come.
type loading struct {
	active        atomic.Bool
	begun         atomic.Int64 // Unix second
	began         atomic.Int64 // monotonic
	told          atomic.Int64 // monotonic, in the log
	total, loaded atomic.Int64 // bytes
	changed       atomic.Int64 // Unix nanosecond at which the newest file was last written to
	usedMem       atomic.Int64 // bytes that the server used which wrote the file
	keys, expired atomic.Int64 // of the last file, that came and that were left out
}

// Start loads what is on disk into the store, which must be empty, and then keeps it there.
// Until it returns, clients are told that data is being loaded. After an error, which says
// what to do, nothing on disk was changed and the store has a part of the data: do not serve it.
// The end of ctx ends it early, with ctx's error.
func (m *Manager) Start(ctx context.Context) error {
	m.update(func(c *Condition) { c.Loading = true })
	set := m.settings.Load()
	if len(set.Save) > 0 || set.AppendOnly {
		if err := m.home.own(m.fs, set.Dir); err != nil {
			return err
		}
		if err := ignoreMissing(m.fs.Remove(tempName(set.dump()))); err != nil {
			return err
		}
	}
	if err := m.loadAll(ctx, set); err != nil {
		return err
	}
	m.saves.saved.Store(m.changes())
	m.update(func(c *Condition) { c.Loading = false })
	return nil
}

// loadAll loads the append-only file where it is wanted and there is one, else the snapshot.
func (m *Manager) loadAll(ctx context.Context, set *Settings) error {
	if !set.AppendOnly {
		err := m.loadDump(ctx, set)
		if err == nil {
			m.catchUp()
		}
		return err
	}
	m.append.wanted.Store(true)
	if err := m.openLog(set); err != nil {
		return err
	}
	found, err := m.loadLog(ctx, set)
	if err == nil && !found {
		err = m.loadDump(ctx, set)
	}
	if err != nil {
		return err
	}
	// What was put back must be in the files: the next start would find it as it was.
	putBack := m.catchUp()
	return m.beginLog(found && !putBack)
}

// loadDump loads the snapshot, if there is one.
func (m *Manager) loadDump(ctx context.Context, set *Settings) error {
	if set.DBFilename == "" {
		return nil
	}
	there, err := fs.Exists(m.fs, set.dump())
	if err != nil || !there {
		return err
	}
	return m.load(ctx, set, set.dump())
}

// load reads a snapshot.
func (m *Manager) load(ctx context.Context, set *Settings, path string) error {
	f, err := m.fs.Open(path, os.O_RDONLY)
	if err != nil {
		return err
	}
	defer f.Close()
	size, err := f.Size()
	if err != nil {
		return err
	}
	changed, err := f.Changed()
	if err != nil {
		return err
	}
	m.beginLoading(size, changed)
	defer m.loading.active.Store(false)
	m.log.Info("loading", "file", path, "bytes", size)
	l, err := rdb.Load(until{ctx, f}, m.store, rdb.LoadOptions{
		Options: rdb.Options{SkipUnsupported: set.SkipUnsupported, Aux: m.fact}, Size: size, Now: m.clock.Now(), Progress: m.progress,
	})
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case err != nil:
		return m.refuse(path, err)
	}
	m.loading.keys.Store(l.Keys)
	m.loading.expired.Store(l.Expired)
	m.log.Info("loaded", "file", path, "keys", l.Keys, "expired", l.Expired,
		"milliseconds", (m.clock.Monotonic()-m.loading.began.Load())/1e6)
	m.reportSkipped(l.Skipped)
	return nil
}

func (m *Manager) reportSkipped(counts map[string]int) {
	for what, n := range counts {
		m.log.Warn("left out, as it is not kept here", "what", what, "count", n)
	}
}

// Reload writes a snapshot and loads it in place of what there is. After an error what
// there was may be gone.
func (m *Manager) Reload() error {
	j, err := m.jobs.begin(SavingJob, m.clock.Monotonic(), true)
	if err != nil {
		return err
	}
	defer m.jobs.end()
	m.update(func(c *Condition) { c.Loading = true })
	defer m.update(func(c *Condition) { c.Loading = false })
	for emptied := false; !emptied; emptied = m.empty() {
		if err := m.save(j); err != nil {
			return err
		}
	}
	return m.loadDump(context.Background(), m.settings.Load())
}

// empty removes every key, if all are in the snapshot that was just written: commands that
// were on their way may still have changed some.
func (m *Manager) empty() bool {
	var everything store.Footprint
	everything.AddAll()
	tx := m.store.NewTx()
	tx.Silent = true
	tx.Begin(m.clock.Now(), 0, &everything)
	defer tx.End()
	if m.changes() != m.saves.saved.Load() {
		return false
	}
	for db := range m.store.Databases() {
		tx.Select(db)
		tx.Flush()
	}
	return true
}

func (m *Manager) beginLoading(size, changed int64) {
	l := &m.loading
	l.changed.Store(changed)
	l.begun.Store(m.clock.Now() / 1e9)
	l.began.Store(m.clock.Monotonic())
	l.total.Store(size)
	l.loaded.Store(0)
	l.told.Store(l.began.Load())
	l.active.Store(true)
}

// fact notes what a file says about itself.
func (m *Manager) fact(name, value string) {
	if n, err := strconv.ParseInt(value, 10, 64); name == "used-mem" && err == nil {
		m.loading.usedMem.Store(n)
	}
}

// tellEvery is how many nanoseconds pass between two words about a loading.
const tellEvery = 2e9

func (m *Manager) progress(bytes, keys int64) {
	l, now := &m.loading, m.clock.Monotonic()
	l.loaded.Store(bytes)
	if now-l.told.Load() >= tellEvery {
		l.told.Store(now)
		m.log.Info("loading", "percent", percent(bytes, l.total.Load()), "keys", keys)
	}
}

// until is a reader that ends with a context.
type until struct {
	ctx context.Context
	io.Reader
}

// Read implements io.Reader.
func (u until) Read(p []byte) (int, error) {
	if err := u.ctx.Err(); err != nil {
		return 0, err
	}
	return u.Reader.Read(p)
}

// refuse says what to do about a file that cannot be loaded. What is wrong with a key may
// be damage's doing: that is for the rest of the file to tell.
func (m *Manager) refuse(path string, err error) error {
	fault := m.verify(path)
	unsupported := (*rdb.Unsupported)(nil)
	switch {
	case fault != nil:
		return fmt.Errorf("%s: %w; nothing was changed: put a good copy in its place, or move it away to begin empty", path, fault)
	case errors.As(err, &unsupported):
		return fmt.Errorf("%s: %w; nothing was changed: start with --rdb-skip-unsupported yes to leave such keys out", path, err)
	}
	return fmt.Errorf("%s: %w; nothing was changed", path, err)
}

// verify returns what is wrong with a snapshot, nil if it is whole.
func (m *Manager) verify(path string) error {
	f, err := m.fs.Open(path, os.O_RDONLY)
	if err != nil {
		return err
	}
	defer f.Close()
	return rdb.Verify(f)
}
