package persistence

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"cellserver/persistence/aof"
	"cellserver/persistence/fs"
	"cellserver/persistence/rdb"
)

// loader loads files into the store.
type loader struct {
	*loadProgress
	replayer aof.Replayer
}

// dump loads the snapshot, if there is one.
func (l *loader) dump(ctx context.Context, set *Settings) error {
	if set.DBFilename == "" {
		return nil
	}
	exists, err := fs.Exists(l.fs, set.dump())
	if err != nil || !exists {
		return err
	}
	return l.snapshot(ctx, set, set.dump())
}

// snapshot loads a snapshot.
func (l *loader) snapshot(ctx context.Context, set *Settings, path string) error {
	f, err := l.fs.Open(path, os.O_RDONLY)
	if err != nil {
		return err
	}
	defer f.Close()
	size, err := f.Size()
	if err != nil {
		return err
	}
	modified, err := f.Modified()
	if err != nil {
		return err
	}
	l.begin(size, modified)
	defer l.active.Store(false)
	l.log.Debug("loading", "file", path, "bytes", size)
	loaded, err := rdb.Load(cancelReader{ctx, f}, l.store, rdb.LoadOptions{
		Options: rdb.Options{SkipUnsupported: set.SkipUnsupported, Aux: l.fact},
		Size:    size, Now: l.clock.Now(),
		Progress: func(bytes, _ int64) { l.report(bytes) },
	})
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case err != nil:
		return l.refuse(path, err)
	}
	l.keys.Store(loaded.Keys)
	l.expired.Store(loaded.Expired)
	l.log.Info("loaded", "file", path, "keys", loaded.Keys, "expired", loaded.Expired, "milliseconds", l.milliseconds())
	l.logSkipped(loaded.Skipped)
	return nil
}

// refuse returns what to do about a snapshot that cannot be loaded. The fault of a key may
// come from damage, which only the checksum of the whole file shows.
func (l *loader) refuse(path string, err error) error {
	damage := l.verify(path)
	unsupported := (*rdb.Unsupported)(nil)
	switch {
	case damage != nil:
		return fmt.Errorf("%s: %w; nothing was changed: restore the file from a good copy, or move it away to start empty", path, damage)
	case errors.As(err, &unsupported):
		return fmt.Errorf("%s: %w; nothing was changed: start with --rdb-skip-unsupported yes to leave such keys out", path, err)
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

// appendLog loads a log, and reports whether there is one.
func (l *loader) appendLog(ctx context.Context, set *Settings, dir *aof.Dir) (found bool, err error) {
	if dir.Empty() {
		return false, nil
	}
	size, modified, err := dir.Stat()
	if err != nil {
		return false, fmt.Errorf("%w; nothing was changed: restore the file", err)
	}
	l.begin(size, modified)
	defer l.active.Store(false)
	l.log.Debug("loading", "directory", dir.Path(), "bytes", size)
	loaded, err := dir.Load(l.store, aof.LoadOptions{
		Now: l.clock.Now(), Replayer: l.replayer, RefuseTorn: !set.LoadTruncated,
		RDB:      rdb.Options{SkipUnsupported: set.SkipUnsupported, Aux: l.fact},
		Wrap:     func(in io.Reader) io.Reader { return cancelReader{ctx, in} },
		Progress: l.report,
	})
	if err != nil {
		return false, err
	}
	if loaded.Torn != "" {
		kept, err := dir.CutTornTail(loaded)
		if err != nil {
			return false, err
		}
		l.log.Warn("cut off the torn tail of the append-only file, as a crash or a power cut leaves it", "tail", loaded.Torn, "copy", kept)
	}
	l.keys.Store(loaded.Base.Keys)
	l.log.Info("loaded", "directory", dir.Path(), "keys", l.storedKeys(), "commands", loaded.Commands,
		"milliseconds", l.milliseconds())
	l.logSkipped(loaded.Base.Skipped)
	l.logSkipped(loaded.Skipped)
	return true, nil
}
