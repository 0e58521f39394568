package member

import (
	"errors"
	"strings"
	"sync/atomic"

	"cellserver/persistence/fs"
)

var errDisk = errors.New("input/output error")

// files is a file system whose writes can fail.
type files struct {
	fs.OS
	broken atomic.Pointer[string] // writes to files whose path has this text fail; nil: none
}

// fails reports whether changes of a file fail.
func (f *files) fails(name string) bool {
	text := f.broken.Load()
	return text != nil && strings.Contains(name, *text)
}

// breakDown makes writes to some files fail from now on.
func (f *files) breakDown(text string) { f.broken.Store(&text) }

// Open implements [fs.FS].
func (f *files) Open(name string, flag int) (fs.File, error) {
	in, err := f.OS.Open(name, flag)
	if err != nil {
		return nil, err
	}
	return &file{in, f, name}, nil
}

// Rename implements [fs.FS].
func (f *files) Rename(from, to string) error {
	if f.fails(to) {
		return errDisk
	}
	return f.OS.Rename(from, to)
}

// file is a file whose writes can fail.
type file struct {
	fs.File
	of   *files
	name string
}

// Write implements [fs.File].
func (f *file) Write(b []byte) (int, error) {
	if f.of.fails(f.name) {
		return 0, errDisk
	}
	return f.File.Write(b)
}
