package persistence

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"

	"cellserver/persistence/aof"
	"cellserver/persistence/rdb"
)

// loader loads files into the store.
type loader struct {
	*loadProgress
	replayer aof.Replayer
}

// dump loads the snapshot, if there is one.
func (l *loader) dump(ctx context.Context, set *Settings, inv *inventory) error {
	if set.DBFilename == "" || !slices.Contains(inv.snapshots, set.dump()) {
		return nil
	}
	modified, err := l.snapshot(ctx, set, set.dump())
	if err != nil {
		return err
	}
	return l.checkRivals(ctx, inv.snapshots, set.dump(), modified)
}

// snapshot loads a snapshot, and returns when it was written, in Unix nanoseconds.
func (l *loader) snapshot(ctx context.Context, set *Settings, path string) (modified int64, err error) {
	f, err := l.fs.Open(path, os.O_RDONLY)
	if err != nil {
		return 0, access(err)
	}
	defer f.Close()
	size, err := f.Size()
	if err != nil {
		return 0, err
	}
	if modified, err = f.Modified(); err != nil {
		return 0, err
	}
	l.begin(size)
	defer l.active.Store(false)
	l.log.Debug("loading", "file", path, "bytes", size)
	loaded, err := rdb.Load(cancelReader{ctx, f}, l.store, rdb.LoadOptions{
		Options: rdb.Options{SkipUnsupported: set.SkipUnsupported, Aux: l.fact},
		Size:    size, Now: l.clock.Now(),
		Progress: func(bytes, _ int64) { l.report(bytes) },
	})
	switch {
	case ctx.Err() != nil:
		return 0, ctx.Err()
	case err != nil:
		return 0, l.refuse(path, err)
	}
	l.keys.Store(loaded.Keys)
	l.expired.Store(loaded.Expired)
	l.log.Info("loaded",
		"file", path, "keys", loaded.Keys, "expired", loaded.Expired, "milliseconds", l.milliseconds())
	l.logSkipped(loaded.Skipped)
	return modified, nil
}

// refuse returns what to do about a snapshot that cannot be loaded. The fault of a key may
// come from damage, which only the checksum of the whole file shows.
func (l *loader) refuse(path string, err error) error {
	damage := l.verify(path)
	switch _, unsupported := errors.AsType[*rdb.Unsupported](err); {
	case damage != nil:
		return fmt.Errorf("%s: %w; nothing was changed: restore the file from a good copy, "+
			"or move it away to start without it", path, damage)
	case unsupported:
		return fmt.Errorf("%s: %w; nothing was changed: start with --rdb-skip-unsupported yes to leave that out", path, err)
	}
	return fmt.Errorf("%s: %w; nothing was changed", path, err)
}

// verify returns the damage of a snapshot, or nil.
func (l *loader) verify(path string) error {
	f, err := l.fs.Open(path, os.O_RDONLY)
	if err != nil {
		return err
	}
	defer f.Close()
	return rdb.Verify(f)
}

// read loads the log, which it returns, or else the snapshot. It changes nothing.
func (l *loader) read(ctx context.Context, set *Settings, inv *inventory) (log *aof.Loaded, err error) {
	if log, err = l.appendLog(ctx, set, inv); err == nil && log == nil {
		err = l.dump(ctx, set, inv)
	}
	return log, err
}

// appendLog loads a log, and changes nothing. It returns nil if there is no log.
func (l *loader) appendLog(ctx context.Context, set *Settings, inv *inventory) (*aof.Loaded, error) {
	dir := inv.log
	if dir.Empty() {
		return nil, nil
	}
	l.begin(inv.logBytes)
	defer l.active.Store(false)
	l.log.Debug("loading", "directory", dir.Path(), "bytes", inv.logBytes)
	loaded, err := dir.Load(l.store, aof.LoadOptions{
		Now: l.clock.Now(), Replayer: l.replayer, RefuseTorn: !set.LoadTruncated,
		RDB:      rdb.Options{SkipUnsupported: set.SkipUnsupported, Aux: l.fact},
		Wrap:     func(in io.Reader) io.Reader { return cancelReader{ctx, in} },
		Progress: l.report,
	})
	if err != nil {
		return nil, err
	}
	if err := l.checkRivals(ctx, inv.snapshots, inv.log.Place(), inv.logTime); err != nil {
		return nil, err
	}
	if loaded.Time > 0 { // later than its base
		l.written.Store(min(loaded.Time, maxSecond))
	}
	l.keys.Store(int64(l.store.Keys()))
	l.expired.Store(0) // an expired key is loaded, and then expires as every other key
	l.log.Info("loaded", "directory", dir.Path(), "keys", l.store.Keys(), "commands", loaded.Commands,
		"milliseconds", l.milliseconds())
	l.logSkipped(loaded.Base.Skipped)
	l.logSkipped(loaded.Skipped)
	return loaded, nil
}
