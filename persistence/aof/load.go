package aof

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"cellserver/persistence/fs"
	"cellserver/persistence/rdb"
	"cellserver/store"
)

// Damage says where a file of a log is not what it should be. Nothing was changed.
type Damage struct {
	File   string
	Offset int64
	Reason error
	Advice string // what to do about it
}

// Error gives all of it.
func (d *Damage) Error() string {
	return fmt.Sprintf("%s, byte %d: %v; nothing was changed: %s", d.File, d.Offset, d.Reason, d.Advice)
}

// Unwrap gives the reason.
func (d *Damage) Unwrap() error { return d.Reason }

// advise says what to do about what stopped the reading of a file at an offset.
func advise(path string, offset int64, stop error) string {
	if errors.Is(stop, errVerbatim) {
		return adviceVerbatim
	}
	if isRefusal(stop) {
		return "start with --rdb-skip-unsupported yes to leave out what is not kept here, or begin with a snapshot of the other server (SAVE, dump.rdb) instead"
	}
	return fmt.Sprintf("put a good copy in its place or, to go on without what comes after, keep a copy of the directory, "+
		"'truncate -s %d %s' and take the files after it out of the manifest", offset, path)
}

// LoadOptions say how a log is read into a store.
type LoadOptions struct {
	Now     int64 // Unix nanoseconds: when keys are taken to have been used
	Foreign Foreign
	RDB     rdb.Options // of the base
	// RefuseTorn refuses a log whose end is torn, instead of doing without its last changes
	// (aof-load-truncated no).
	RefuseTorn bool
	// Through is what files are read through. Nil: nothing.
	Through func(io.Reader) io.Reader
	// Progress is told how much was read so far. Nil: nobody looks.
	Progress func(bytes int64)
}

// Loaded is what a log had.
type Loaded struct {
	Base     rdb.Loaded
	Commands int64
	Skipped  map[string]int // commands that were left out, as LoadOptions.RDB.SkipUnsupported has it
	Torn     string         // why the last file's end could not be read; "" when it could
	tear     *tear
}

// Load reads the whole log into a store, which must be empty, and changes no file. No
// observer is told of it. After an error the store must be thrown away: it has a part.
// A torn end of the last file is no error: it is what a crash leaves ([Dir.Mend]).
func (d *Dir) Load(s *store.Store, o LoadOptions) (*Loaded, error) {
	l := &loader{fs: d.fs, options: o, loaded: &Loaded{Skipped: map[string]int{}}}
	l.apply = applier{store: s, tx: s.NewTx(), now: o.Now, foreign: o.Foreign}
	l.apply.tx.KeepExpired, l.apply.tx.Silent = true, true
	l.growth = growth{store: s, tx: s.NewTx(), now: o.Now}
	defer l.growth.settle()
	if l.options.Through == nil {
		l.options.Through = func(in io.Reader) io.Reader { return in }
	}
	all := d.manifest.files()
	last := d.lastWritten(all)
	for i, e := range all {
		if err := l.file(e, d.where(e), i >= last); err != nil {
			return nil, err
		}
	}
	return l.loaded, nil
}

// lastWritten returns which file is the last with anything in it. Those after it are there
// because a rewrite of the log was about to begin.
func (d *Dir) lastWritten(all []entry) int {
	last := len(all) - 1
	for ; last > 0; last-- {
		if n, _, err := d.stat(all[last]); n > 0 || err != nil {
			break
		}
	}
	return last
}

// Stat returns how many bytes there are to load, and when the latest of them was written, in
// Unix nanoseconds. Its error names a file that is missing.
func (d *Dir) Stat() (bytes, changed int64, err error) {
	for _, e := range d.manifest.files() {
		n, at, err := d.stat(e)
		if err != nil {
			return 0, 0, fmt.Errorf("%w: the manifest %s lists it", err, d.manifestPath())
		}
		bytes += n
		changed = max(changed, at)
	}
	return bytes, changed, nil
}

// loader reads the files of a log into an empty store.
type loader struct {
	fs      fs.FS
	options LoadOptions
	apply   applier
	growth  growth
	loaded  *Loaded
	before  int64 // bytes of the files before
}

// file reads one file. The last one may be torn.
func (l *loader) file(e entry, path string, last bool) error {
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
	if strings.HasSuffix(e.name, ".rdb") || hasSnapshot(f) {
		if from, err = l.preamble(f, path, size); err != nil {
			return err
		}
	}
	l.apply.db = 0
	l.growth.begin(from, size)
	r := newReader(l, newWindow(l.options.Through(io.NewSectionReader(f, from, size-from)), from, size))
	stop := r.run()
	l.before += size
	if r.failed != nil {
		return &os.PathError{Op: "read", Path: path, Err: r.failed}
	}
	if stop == nil {
		return nil
	}
	torn, err := last && !l.options.RefuseTorn && !isRefusal(stop), error(nil)
	if torn {
		torn, err = isTorn(f, r.at+int64(r.stuck), size, stop)
	}
	if err != nil || !torn {
		return errors.Join(err, r.damage(path, stop))
	}
	l.loaded.Torn = fmt.Sprintf("%s from byte %d to %d: %v", path, r.at, size, stop)
	l.loaded.tear = &tear{entry: e, at: r.at, size: size}
	return nil
}

const adviceBase = "put a good copy in its place, or move the directory away to begin without it; " +
	"--rdb-skip-unsupported yes leaves out types that are not kept here"

// hasSnapshot reports whether a file begins with a snapshot, as bases of commands may.
func hasSnapshot(f fs.File) bool {
	var magic [5]byte
	n, _ := f.ReadAt(magic[:], 0)
	return string(magic[:n]) == "REDIS"
}

// preamble loads the snapshot with which a file begins, and returns where it ends.
func (l *loader) preamble(f fs.File, path string, size int64) (end int64, err error) {
	l.loaded.Base, err = rdb.Load(l.options.Through(f), l.apply.store, rdb.LoadOptions{
		Options: l.options.RDB, Size: size, Now: l.apply.now, KeepExpired: true, Progress: func(bytes, _ int64) { l.advance(bytes) },
	})
	if err != nil {
		return 0, &Damage{File: path, Offset: l.loaded.Base.Bytes, Reason: err, Advice: adviceBase}
	}
	return l.loaded.Base.Bytes, nil
}

// advance tells how much of the file at hand was read.
func (l *loader) advance(bytes int64) {
	if l.options.Progress != nil {
		l.options.Progress(l.before + bytes)
	}
}

// errVerbatim meets the log of a Redis with the redis-cell module.
var errVerbatim = errors.New("CL.THROTTLE as the redis-cell module logs it, which says what was asked and not what came of it: " +
	"to run it again would throttle for requests of the past")

const adviceVerbatim = "have the other server write its data anew (BGREWRITEAOF, or SAVE for a dump.rdb) while no client uses it, stop it, and copy its files then"
