package aof

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"syscall"

	"cellserver/persistence/aof/format"
	"cellserver/persistence/fs"
)

// Dir is the directory of a log: its manifest and the files that the manifest lists. One
// goroutine may use it at a time.
type Dir struct {
	fs       fs.FS
	parent   string // the directory that has this directory, and the log if legacy is true
	path     string
	name     string // the beginning of the files' names (appendfilename)
	manifest *format.Manifest
	legacy   bool // the log is one file in parent, as in Redis before version 7

	rewriting bool // a rewrite was interrupted: see BeginRewrite
}

// Open reads the manifest of the log with a name, in the directory dirName of parent. Without a manifest the
// log is empty. Open changes nothing. If the manifest is damaged, or if there are files of a log that it does
// not list, the error says what to do.
func Open(files fs.FS, parent, dirName, name string) (*Dir, error) {
	d := &Dir{fs: files, parent: parent, path: filepath.Join(parent, dirName), name: name, manifest: &format.Manifest{}}
	text, err := readManifest(files, d.manifestPath())
	listed := err == nil
	if listed {
		if d.manifest, err = format.ParseManifest(text); err != nil {
			return nil, fmt.Errorf("the manifest %s is damaged: %w; nothing was changed: restore the "+
				"file from a good copy, "+
				"or move the directory away to start with an empty log", d.manifestPath(), err)
		}
	} else if !errors.Is(err, os.ErrNotExist) {
		return nil, err
	}
	if err := d.findLegacy(); err != nil {
		return nil, err
	}
	return d, d.checkStrays(listed)
}

func (d *Dir) manifestPath() string { return filepath.Join(d.path, d.name+manifestEnd) }

// findLegacy finds a log of one file, unless there is a log of version 7. An interrupted Redis may
// have converted only a part of a log of one file. Then the manifest lists that file alone.
func (d *Dir) findLegacy() error {
	m := d.manifest
	if len(m.Incrs) > 0 || m.HasBase() && m.Base.Name != d.name {
		return nil
	}
	if m.HasBase() {
		if exists, err := fs.Exists(d.fs, filepath.Join(d.path, d.name)); exists || err != nil {
			return err
		}
	}
	exists, err := fs.Exists(d.fs, filepath.Join(d.parent, d.name))
	if exists {
		d.legacy, m.Base, m.LastBase = true, format.Entry{Name: d.name, Seq: 1, Kind: format.BaseKind}, 1
	}
	return err
}

// Empty reports whether there is nothing to load.
func (d *Dir) Empty() bool { return d.manifest.Empty() }

// Path returns the path of the directory.
func (d *Dir) Path() string { return d.path }

// Place returns the path of the log: its directory, or the file of a log of one file.
func (d *Dir) Place() string {
	if d.legacy {
		return filepath.Join(d.parent, d.name)
	}
	return d.path
}

// Create makes the directory if it does not exist. A legacy log moves into it, as its base.
func (d *Dir) Create() error {
	err := d.fs.Mkdir(d.path)
	if err == nil {
		err = d.fs.SyncDir(d.parent)
	}
	if err != nil || !d.legacy {
		return err
	}
	if err := d.write(d.manifest); err != nil {
		return err
	}
	if err := d.fs.Rename(filepath.Join(d.parent, d.name), filepath.Join(d.path, d.name)); err != nil {
		return err
	}
	d.legacy = false
	return errors.Join(d.fs.SyncDir(d.path), d.fs.SyncDir(d.parent))
}

// pathOf returns the path of a file that the manifest lists.
func (d *Dir) pathOf(e format.Entry) string {
	if d.legacy {
		return filepath.Join(d.parent, e.Name)
	}
	return filepath.Join(d.path, e.Name)
}

// NewFile creates a file for changes. The manifest does not list it yet.
func (d *Dir) NewFile() (*File, error) {
	e := d.nextIncr()
	f, err := d.fs.Open(filepath.Join(d.path, e.Name), os.O_WRONLY|os.O_CREATE|os.O_TRUNC|os.O_APPEND)
	if err != nil {
		return nil, err
	}
	if err := d.fs.SyncDir(d.path); err != nil {
		f.Close()
		return nil, err
	}
	return &File{entry: e, file: f}, nil
}

func (d *Dir) nextIncr() format.Entry {
	seq := d.manifest.LastIncr + 1
	return format.Entry{Name: fmt.Sprintf("%s.%d.incr.aof", d.name, seq), Seq: seq, Kind: format.IncrKind}
}

// Append lists a file of changes after the others.
func (d *Dir) Append(f *File) error {
	m := d.manifest.Clone()
	m.Add(f.entry)
	return d.write(m)
}

// Drop closes and removes a file of changes that no journal writes, first from the manifest.
func (d *Dir) Drop(f *File) error {
	f.close()
	if slices.Contains(d.manifest.Incrs, f.entry) {
		m := d.manifest.Clone()
		m.Incrs = slices.DeleteFunc(m.Incrs, func(e format.Entry) bool { return e == f.entry })
		if err := d.write(m); err != nil {
			return err
		}
	}
	return fs.IgnoreMissing(d.fs.Remove(filepath.Join(d.path, f.entry.Name)))
}

// Stat returns the bytes of the base and of the files of changes. It also returns the time of the last write
// to the last file that has bytes, in Unix nanoseconds; -1 if there is none. An empty one may be of a rewrite
// that failed, and then the one before it goes on. Files before it may be newer if the clock was set back.
// A missing file counts as empty, and the error names the first one.
func (d *Dir) Stat() (base, changes, modified int64, err error) {
	modified = -1
	for _, e := range d.manifest.Files() {
		n, at, failed := d.stat(e)
		if failed != nil {
			err = cmp.Or(err, fmt.Errorf("%w: the manifest %s lists it", failed, d.manifestPath()))
			continue
		}
		if n > 0 {
			modified = at
		}
		if e.Kind == format.BaseKind {
			base += n
		} else {
			changes += n
		}
	}
	return base, changes, modified, err
}

// stat returns a file's size in bytes and when it was last written.
func (d *Dir) stat(e format.Entry) (size, modified int64, err error) {
	f, err := d.fs.Open(d.pathOf(e), os.O_RDONLY)
	if err != nil {
		return 0, 0, err
	}
	size, err = f.Size()
	modified, failed := f.Modified()
	return size, modified, errors.Join(err, failed, f.Close())
}

// Check returns an error if the current file, the manifest, or a file that the manifest lists was removed or
// replaced. current may be nil.
func (d *Dir) Check(current *File) error {
	if current != nil {
		path := filepath.Join(d.path, current.entry.Name)
		if same, err := d.fs.Same(path, current.file); err != nil || !same {
			return lost(path, err)
		}
	}
	paths := []string{d.manifestPath()}
	for _, e := range d.manifest.Files() {
		paths = append(paths, d.pathOf(e))
	}
	for _, path := range paths {
		if exists, err := fs.Exists(d.fs, path); err != nil || !exists {
			return lost(path, err)
		}
	}
	return nil
}

// lost returns the error of a path that has lost its file. err is the error of the check, or nil.
func lost(path string, err error) error {
	if err != nil {
		return err
	}
	return fmt.Errorf("%s was removed or replaced: %w", path, syscall.ENOENT)
}

// NextBase returns the path of the next base. The caller writes the base there before [Dir.Replace].
func (d *Dir) NextBase() string { return filepath.Join(d.path, d.nextBase().Name) }

func (d *Dir) nextBase() format.Entry {
	seq := d.manifest.LastBase + 1
	return format.Entry{Name: fmt.Sprintf("%s.%d.base.rdb", d.name, seq), Seq: seq, Kind: format.BaseKind}
}

// Replace makes the log consist of the next base and a file of the changes since. The base must be
// on disk. All earlier files become history ([Dir.RemoveHistory]).
func (d *Dir) Replace(f *File) error {
	old := d.manifest
	m := &format.Manifest{Base: d.nextBase(), History: old.History, LastBase: old.LastBase + 1, LastIncr: old.LastIncr}
	for _, e := range old.Files() {
		if e.Name != f.entry.Name {
			e.Kind = format.HistoryKind
			m.History = append(m.History, e)
		}
	}
	m.Incrs, m.LastIncr = []format.Entry{f.entry}, f.entry.Seq
	return d.write(m)
}

// RemoveHistory removes the files that are not needed any more.
func (d *Dir) RemoveHistory() error {
	if len(d.manifest.History) == 0 {
		return nil
	}
	var errs error
	for _, e := range d.manifest.History {
		errs = errors.Join(errs, fs.IgnoreMissing(d.fs.Remove(filepath.Join(d.path, e.Name))))
	}
	if errs != nil {
		return errs
	}
	m := d.manifest.Clone()
	m.History = nil
	return d.write(m)
}

// write replaces the manifest.
func (d *Dir) write(m *format.Manifest) error {
	err := fs.Replace(d.fs, d.manifestPath(), func(f fs.File) error {
		_, err := f.Write(m.Text())
		return err
	})
	if err != nil {
		return err
	}
	d.manifest = m
	return d.fs.SyncDir(d.path)
}

// maxManifest is the largest size in bytes of a manifest: far more than a log has files.
const maxManifest = 1 << 20

func readManifest(files fs.FS, path string) ([]byte, error) {
	text, err := fs.ReadFile(files, path, maxManifest)
	if err == nil && len(text) > maxManifest {
		err = fmt.Errorf("the manifest %s has more than %d bytes: it is no manifest; nothing was changed: "+
			"restore the file from a good copy", path, maxManifest)
	}
	return text, err
}
