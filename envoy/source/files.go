package source

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"strings"

	"cellserver/envoy/config"
	"cellserver/envoy/document"
)

// Bounds on all files together.
const (
	maxFiles      = 10_000
	maxTotalBytes = 64 << 20
)

// readFile reads a file. Of one that is too long, or that grows, it reads enough for the parser to refuse it.
func readFile(path string) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(io.LimitReader(f, document.MaxBytes+1))
}

// Folders say where the files are.
type Folders struct {
	Root, Subdirectory, AppDirectory string
	WatchRoot                        bool // Root is a link that is replaced, and all below it is read
	IgnoreDots                       bool // leave out names that begin with a dot
}

var errNoFolder = errors.New("the folder does not exist")

// folder returns the folder that is read, and the beginning that names of files must have.
func (f Folders) folder() (folder, prefix string) {
	if f.WatchRoot {
		return filepath.Join(f.Root, f.Subdirectory), f.AppDirectory + "."
	}
	return filepath.Join(f.Root, f.Subdirectory, f.AppDirectory), ""
}

// Read reads all files of the folders.
func (f Folders) Read(log *slog.Logger) ([]config.File, error) {
	if f.WatchRoot && f.Subdirectory == "" {
		log.Warn("there are no rules: set RUNTIME_SUBDIRECTORY, or RUNTIME_WATCH_ROOT=false")
		return nil, nil
	}
	folder, prefix := f.folder()
	w := &walk{folders: f, prefix: prefix, log: log}
	real, err := filepath.EvalSymlinks(folder)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%w: %s", errNoFolder, folder)
	}
	if err != nil {
		return nil, err
	}
	w.top = real
	return w.files, errors.Join(filepath.WalkDir(real, w.visit), w.err)
}

// ReadFolder reads the files of a folder, for a check of them. Their names in errors are their paths.
func ReadFolder(folder string, log *slog.Logger) ([]config.File, error) {
	w := &walk{folders: Folders{IgnoreDots: true}, top: folder, log: log, paths: true}
	if err := filepath.WalkDir(folder, w.visit); err != nil {
		return nil, err
	}
	return w.files, w.err
}

// A walk reads the files of a folder and of those below.
type walk struct {
	folders     Folders
	top, prefix string
	paths       bool // name files by their paths
	log         *slog.Logger
	files       []config.File
	bytes       int64
	err         error // of the first bad file
}

// visit reads one file. It leaves out what is not a file, and dangling links, which editors make.
func (w *walk) visit(path string, entry fs.DirEntry, err error) error {
	if err != nil {
		return err
	}
	if w.folders.IgnoreDots && path != w.top && strings.HasPrefix(entry.Name(), ".") {
		if entry.IsDir() {
			return fs.SkipDir
		}
		return nil
	}
	if entry.IsDir() {
		return nil
	}
	name := w.nameOf(path)
	if !strings.HasPrefix(name, w.prefix) {
		return nil
	}
	info, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		w.log.Warn("a link is left out, as it leads nowhere", "file", path)
		return nil
	}
	if err != nil {
		return err
	}
	if !info.Mode().IsRegular() {
		return nil
	}
	return w.read(path, name, info.Size())
}

// nameOf names a file in errors.
func (w *walk) nameOf(path string) string {
	if w.paths {
		return path
	}
	relative, err := filepath.Rel(w.top, path)
	if err != nil {
		return path
	}
	return strings.ReplaceAll(relative, string(filepath.Separator), ".")
}

// read reads and parses a file.
func (w *walk) read(path, name string, size int64) error {
	if w.bytes += size; len(w.files) >= maxFiles || w.bytes > maxTotalBytes {
		return fmt.Errorf("%s: more than %d files or %d bytes of rules", name, maxFiles, maxTotalBytes)
	}
	content, err := readFile(path)
	if err != nil {
		return err
	}
	file, err := config.Parse(name, content)
	if err != nil {
		if w.err == nil {
			w.err = err
		}
		return nil
	}
	if file.HasMore {
		w.log.Warn("only the first YAML document is read: put each into a file of its own", "file", name)
	}
	w.files = append(w.files, file)
	return nil
}
