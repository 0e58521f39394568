package cluster

import (
	"errors"
	"strings"
	"sync/atomic"
	"syscall"

	"cellserver/persistence/fs"
)

var errDisk = errors.New("input/output error")

// files is a file system whose writes can fail.
type files struct {
	fs.OS
	broken atomic.Pointer[failing] // nil: all writes work
}

// failing is how writes fail.
type failing struct {
	text string // in the paths of the files
	err  error
}

// fails returns why changes of a file fail; nil if they work.
func (f *files) fails(name string) error {
	if how := f.broken.Load(); how != nil && strings.Contains(name, how.text) {
		return how.err
	}
	return nil
}

// breakDown makes writes to some files fail from now on.
func (f *files) breakDown(text string) { f.broken.Store(&failing{text, errDisk}) }

// fill makes all writes fail as they do on a full disk.
func (f *files) fill() { f.broken.Store(&failing{"", syscall.ENOSPC}) }

// repair makes all writes work again.
func (f *files) repair() { f.broken.Store(nil) }

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
	if err := f.fails(to); err != nil {
		return err
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
	if err := f.of.fails(f.name); err != nil {
		return 0, err
	}
	return f.File.Write(b)
}
