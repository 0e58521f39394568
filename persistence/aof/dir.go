package aof

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"

	"cellserver/persistence/fs"
)

// Dir is the directory of a log: its manifest and the files that this lists. It is for one
// goroutine at a time.
type Dir struct {
	fs       fs.FS
	home     string // where the directory is, and a log of the time before there were any
	path     string
	name     string // what its files' names begin with (appendfilename)
	manifest *manifest
	old      bool // the log is one file in home, as Redis had it before version 7
}

// Open reads the manifest of the log that is called name, in the directory dirName of
// home. Where there is none the log is empty. Nothing is changed. The error of a manifest
// that is no good says what to do.
func Open(files fs.FS, home, dirName, name string) (*Dir, error) {
	d := &Dir{fs: files, home: home, path: filepath.Join(home, dirName), name: name, manifest: &manifest{}}
	text, err := readFile(files, d.manifestPath())
	if err == nil {
		if d.manifest, err = parseManifest(text); err != nil {
			return nil, fmt.Errorf("%s is damaged: %w; nothing was changed: put a good copy in its place, "+
				"or move the directory away to begin without it", d.manifestPath(), err)
		}
	} else if !errors.Is(err, os.ErrNotExist) {
		return nil, err
	}
	return d, d.lookForOld()
}

func (d *Dir) manifestPath() string { return filepath.Join(d.path, d.name+".manifest") }

// lookForOld finds a log of the time when it was one file, unless there is a new one. A
// Redis that was interrupted while it turned the one into the other left a manifest that
// lists nothing else.
func (d *Dir) lookForOld() error {
	m := d.manifest
	if len(m.incrs) > 0 || m.hasBase() && m.base.name != d.name {
		return nil
	}
	if m.hasBase() {
		if there, err := fs.Exists(d.fs, filepath.Join(d.path, d.name)); there || err != nil {
			return err
		}
	}
	there, err := fs.Exists(d.fs, filepath.Join(d.home, d.name))
	if there {
		d.old, m.base, m.lastBase = true, entry{d.name, 1, baseType}, 1
	}
	return err
}

// Empty reports whether there is nothing to load.
func (d *Dir) Empty() bool { return d.manifest.empty() }

// Path returns where the directory is.
func (d *Dir) Path() string { return d.path }

// Create makes the directory, if need be. A log of the old kind moves into it, as its base.
func (d *Dir) Create() error {
	err := d.fs.Mkdir(d.path)
	if err == nil {
		err = d.fs.SyncDir(d.home)
	}
	if err != nil || !d.old {
		return err
	}
	if err := d.write(d.manifest); err != nil {
		return err
	}
	if err := d.fs.Rename(filepath.Join(d.home, d.name), filepath.Join(d.path, d.name)); err != nil {
		return err
	}
	d.old = false
	return errors.Join(d.fs.SyncDir(d.path), d.fs.SyncDir(d.home))
}

// where is the path of a file that the manifest lists.
func (d *Dir) where(e entry) string {
	if d.old {
		return filepath.Join(d.home, e.name)
	}
	return filepath.Join(d.path, e.name)
}

// NewFile creates the file for the changes to come. It is listed by nobody yet.
func (d *Dir) NewFile() (*File, error) {
	seq := d.manifest.lastIncr + 1
	e := entry{fmt.Sprintf("%s.%d.incr.aof", d.name, seq), seq, incrType}
	f, err := d.fs.Open(filepath.Join(d.path, e.name), os.O_WRONLY|os.O_CREATE|os.O_TRUNC|os.O_APPEND)
	if err != nil {
		return nil, err
	}
	if err := d.fs.SyncDir(d.path); err != nil {
		f.Close()
		return nil, err
	}
	return &File{entry: e, file: f}, nil
}

// Append lists a file of changes after the others.
func (d *Dir) Append(f *File) error {
	m := d.manifest.clone()
	m.add(f.entry)
	return d.write(m)
}

// Lists reports whether a file is a part of the log.
func (d *Dir) Lists(f *File) bool { return slices.Contains(d.manifest.incrs, f.entry) }

// Drop removes a file, from the log too.
func (d *Dir) Drop(f *File) error {
	if d.Lists(f) {
		m := d.manifest.clone()
		m.incrs = slices.DeleteFunc(m.incrs, func(e entry) bool { return e == f.entry })
		if err := d.write(m); err != nil {
			return err
		}
	}
	return ignoreMissing(d.fs.Remove(filepath.Join(d.path, f.entry.name)))
}

// Sizes returns the bytes of the base and of the files of changes.
func (d *Dir) Sizes() (base, changes int64) {
	for _, e := range d.manifest.files() {
		n, _, err := d.stat(e)
		switch {
		case err != nil: // it will be found missing by who needs it
		case e.kind == baseType:
			base += n
		default:
			changes += n
		}
	}
	return base, changes
}

// stat returns a file's size in bytes and when it was last written to.
func (d *Dir) stat(e entry) (size, changed int64, err error) {
	f, err := d.fs.Open(d.where(e), os.O_RDONLY)
	if err != nil {
		return 0, 0, err
	}
	size, err = f.Size()
	changed, failed := f.Changed()
	return size, changed, errors.Join(err, failed, f.Close())
}

// NextBase returns the path at which the next base is to be, for [Dir.Replace].
func (d *Dir) NextBase() string { return filepath.Join(d.path, d.nextBase().name) }

func (d *Dir) nextBase() entry {
	seq := d.manifest.lastBase + 1
	return entry{fmt.Sprintf("%s.%d.base.rdb", d.name, seq), seq, baseType}
}

// Replace makes the log consist of the next base, which is on disk, and a file of the
// changes since. What it had before is removed.
func (d *Dir) Replace(f *File) error {
	old := d.manifest
	m := &manifest{base: d.nextBase(), history: old.history, lastBase: old.lastBase + 1, lastIncr: old.lastIncr}
	for _, e := range old.files() {
		if e.name != f.entry.name {
			e.kind = historyType
			m.history = append(m.history, e)
		}
	}
	m.incrs, m.lastIncr = []entry{f.entry}, f.entry.seq
	return d.write(m)
}

// Forget removes the files that are not needed any more.
func (d *Dir) Forget() error {
	if len(d.manifest.history) == 0 {
		return nil
	}
	var errs error
	for _, e := range d.manifest.history {
		errs = errors.Join(errs, ignoreMissing(d.fs.Remove(filepath.Join(d.path, e.name))))
	}
	if errs != nil {
		return errs
	}
	m := d.manifest.clone()
	m.history = nil
	return d.write(m)
}

// write replaces the manifest.
func (d *Dir) write(m *manifest) error {
	temp := filepath.Join(d.path, "temp-"+d.name+".manifest")
	f, err := d.fs.Open(temp, os.O_WRONLY|os.O_CREATE|os.O_TRUNC)
	if err != nil {
		return err
	}
	_, err = f.Write(m.text())
	if err == nil {
		err = fs.Aside(f.Sync)
	}
	err = errors.Join(err, f.Close())
	if err == nil {
		err = d.fs.Rename(temp, d.manifestPath())
	}
	if err != nil {
		return errors.Join(err, ignoreMissing(d.fs.Remove(temp)))
	}
	d.manifest = m
	return d.fs.SyncDir(d.path)
}

func readFile(files fs.FS, path string) ([]byte, error) {
	f, err := files.Open(path, os.O_RDONLY)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(f)
}

func ignoreMissing(err error) error {
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	return err
}
