package aof

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"cellserver/persistence/aof/format"
	"cellserver/persistence/fs"
	"cellserver/persistence/rdb"
	"cellserver/store"
)

// Damage is the error of a file of a log that the server cannot load. Nothing on disk has changed.
type Damage struct {
	File   string
	Offset int64 // of the fault, or of the piece that has it
	Reason error
	Advice string // what to do
}

// Error says where the damage is, its reason, and what to do.
func (d *Damage) Error() string {
	return fmt.Sprintf("%s, byte %d: %v; nothing was changed: %s", d.File, d.Offset, d.Reason, d.Advice)
}

// Unwrap returns the reason.
func (d *Damage) Unwrap() error { return d.Reason }

const (
	adviceSnapshot = "restore the file from a good copy, or move the directory away to start without it; " +
		"if the reason is an unsupported type or part, start with --rdb-skip-unsupported yes to leave that out"
	adviceVerbatim = "on the other server, run BGREWRITEAOF (or SAVE, for a dump.rdb) while no client " +
		"uses it, then stop it and copy its files"
	adviceExhausted = "the command at this byte makes a string that needs more memory: start the server where it " +
		"has as much as the server that wrote the file, or restore the file from a good copy"
	adviceRefusal = "start with --rdb-skip-unsupported yes to leave out unsupported commands, or " +
		"start from a snapshot of the other server (SAVE, dump.rdb)"
)

// advise returns what to do about the fault of a file at an offset.
func advise(path string, offset int64, fault error) string {
	switch {
	case errors.Is(fault, errVerbatim):
		return adviceVerbatim
	case errors.Is(fault, store.ErrExhausted):
		return adviceExhausted
	case isRefusal(fault):
		return adviceRefusal
	}
	return fmt.Sprintf("restore the file from a good copy; or keep a copy of the directory, "+
		"run 'truncate -s %d %s' and remove the files after it from the manifest; "+
		"the changes after this byte are then lost", offset, path)
}

// isRefusal reports whether a fault is a command that cannot be applied.
func isRefusal(err error) bool {
	_, is := errors.AsType[*refusal](err)
	return is
}

// LoadOptions are the options of [Dir.Load].
type LoadOptions struct {
	Now        int64 // Unix nanoseconds: the keys count as used at this time
	Replayer   Replayer
	RDB        rdb.Options // for snapshots; its SkipUnsupported also leaves out commands
	RefuseTorn bool        // aof-load-truncated no: a torn tail is damage
	// Wrap wraps the reader of each file. It may be nil.
	Wrap func(io.Reader) io.Reader
	// Progress is called from time to time with the number of bytes so far. It may be nil.
	Progress func(bytes int64)
}

// Loaded is the result of [Dir.Load].
type Loaded struct {
	Base     rdb.Loaded     // of the last snapshot in the files
	Commands int64          // that were applied or left out
	Skipped  map[string]int // commands that were left out because of LoadOptions.RDB.SkipUnsupported
	Time     int64          // the last Unix second that the log has, or 0
	Torn     string         // why the end of the last file is torn, or ""
	tail     *tornTail      // nil if Torn is ""
}

// Load reads the whole log into a store, which must be empty, and changes no file. Observers do not see the
// keys. After an error the caller must drop the store, because it has a part of the log. A torn tail of the
// last file is not an error, because every crash may leave a torn tail ([Dir.CutTornTail]).
func (d *Dir) Load(s *store.Store, o LoadOptions) (*Loaded, error) {
	l := &loader{fs: d.fs, options: o, loaded: &Loaded{Skipped: map[string]int{}}}
	l.apply = applier{store: s, tx: s.NewTx(), now: o.Now, replayer: o.Replayer}
	l.apply.tx.KeepExpired, l.apply.tx.Silent = true, true
	if l.options.Wrap == nil {
		l.options.Wrap = func(in io.Reader) io.Reader { return in }
	}
	all := d.manifest.Files()
	last := d.indexOfLastWritten(all)
	for i, e := range all {
		if err := l.loadFile(e, d.pathOf(e), i >= last); err != nil {
			return nil, err
		}
	}
	return l.loaded, nil
}

// indexOfLastWritten returns the index of the last file that has bytes, or 0. An interrupted rewrite of the
// log leaves empty files after it.
func (d *Dir) indexOfLastWritten(all []format.Entry) int {
	last := len(all) - 1
	for ; last > 0; last-- {
		if n, _, err := d.stat(all[last]); n > 0 || err != nil {
			break
		}
	}
	return last
}

// loader reads the files of a log into an empty store.
type loader struct {
	fs      fs.FS
	options LoadOptions
	apply   applier
	loaded  *Loaded
	before  int64 // bytes of the files before the current one
}

// loadFile loads one file. mayBeTorn is true if a torn tail of the file is no damage.
func (l *loader) loadFile(e format.Entry, path string, mayBeTorn bool) error {
	f, err := l.fs.Open(path, os.O_RDONLY)
	if err != nil {
		return err
	}
	defer f.Close()
	size, err := f.Size()
	if err != nil {
		return err
	}
	var from int64
	if strings.HasSuffix(e.Name, ".rdb") || hasSnapshot(f) {
		if from, err = l.loadSnapshot(f, path, size); err != nil {
			return err
		}
	}
	r := l.beginCommands(f, from, size)
	fault := r.run()
	l.before += size
	l.loaded.Commands += r.commands
	l.loaded.Time = r.time
	switch {
	case r.failed != nil:
		return &os.PathError{Op: "read", Path: path, Err: r.failed}
	case fault == nil:
		return nil
	}
	torn := mayBeTorn && !l.options.RefuseTorn && !isRefusal(fault)
	if torn {
		torn, err = isTorn(f, r.at+int64(r.unclosed), size, fault)
	}
	if err != nil || !torn {
		return errors.Join(err, damage(path, r.at, fault))
	}
	l.loaded.Torn = fmt.Sprintf("%s from byte %d to %d: %v", path, r.at, size, fault)
	l.loaded.tail = &tornTail{Entry: e, at: r.at, size: size}
	return nil
}

// beginCommands selects database 0, and returns a reader of the commands of a file from an offset on.
func (l *loader) beginCommands(f fs.File, from, size int64) *reader {
	l.apply.db = 0
	return &reader{
		window: newWindow(l.options.Wrap(io.NewSectionReader(f, from, size-from)), from, size),
		apply:  &l.apply, progress: l.progress, time: l.loaded.Time,
		skipUnsupported: l.options.RDB.SkipUnsupported, skipped: l.loaded.Skipped,
	}
}

// damage returns the error of a fault. offset is the end of the last intact piece; a refusal has its own.
func damage(path string, offset int64, fault error) error {
	if refused, is := errors.AsType[*refusal](fault); is {
		offset = refused.offset
	}
	return &Damage{File: path, Offset: offset, Reason: fault, Advice: advise(path, offset, fault)}
}

// hasSnapshot reports whether a file begins with a snapshot. A base of commands may begin with one.
func hasSnapshot(f fs.File) bool {
	var magic [5]byte
	n, _ := f.ReadAt(magic[:], 0)
	return string(magic[:n]) == "REDIS"
}

// loadSnapshot loads the snapshot at the start of a file, and returns the offset of its end.
func (l *loader) loadSnapshot(f fs.File, path string, size int64) (end int64, err error) {
	l.loaded.Base, err = rdb.Load(l.options.Wrap(f), l.apply.store, rdb.LoadOptions{
		Options: l.options.RDB, Size: size, Now: l.apply.now, KeepExpired: true, Progress: func(bytes, _ int64) { l.progress(bytes) },
	})
	if err != nil {
		return 0, &Damage{File: path, Offset: l.loaded.Base.Bytes, Reason: err, Advice: adviceSnapshot}
	}
	return l.loaded.Base.Bytes, nil
}

// progress reports that so many bytes of the current file have been read.
func (l *loader) progress(bytes int64) {
	if l.options.Progress != nil {
		l.options.Progress(l.before + bytes)
	}
}
