package persistence

import (
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"sync"
	"syscall"

	"cellserver/persistence/fs"
)

// lockName is the file that a server locks in its directory.
const lockName = "LOCK"

// directory is the directory of the files, and the lock of that directory.
type directory struct {
	mu   sync.Mutex // guards path and lock
	path string
	lock io.Closer // nil: the directory is not locked, because the server has written nothing
}

// own makes sure that the directory exists and that no other process writes to it.
func (d *directory) own(files fs.FS, path string) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.lock != nil && d.path == path {
		if err := d.check(files); !errors.Is(err, syscall.ENOENT) {
			return err
		}
		// The path now leads to another directory, or to none. The server does not make it again: somebody
		// may have unmounted the disk, and must mount it again.
	} else if err := files.Mkdir(path); err != nil {
		return err
	}
	lock, err := files.Lock(filepath.Join(path, lockName))
	if errors.Is(err, fs.ErrLocked) {
		return fmt.Errorf("another server uses the directory %s: stop that server, or choose another directory with --dir", path)
	}
	if err != nil {
		return err
	}
	d.unlock()
	d.path, d.lock = path, lock
	return nil
}

// lost returns an error if somebody removed or replaced the owned directory or its lock.
func (d *directory) lost(files fs.FS) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.lock == nil {
		return nil
	}
	return d.check(files)
}

// check is lost for a directory that is owned. mu is held.
func (d *directory) check(files fs.FS) error {
	path := filepath.Join(d.path, lockName)
	same, err := files.Same(path, d.lock)
	if err == nil && !same {
		err = fmt.Errorf("%s was removed or replaced: %w", path, syscall.ENOENT)
	}
	return err
}

// move owns another directory, if a directory is owned or needed is true.
func (d *directory) move(files fs.FS, path string, needed bool) error {
	d.mu.Lock()
	owned := d.lock != nil
	d.mu.Unlock()
	if !owned && !needed {
		return nil
	}
	return d.own(files, path)
}

// release unlocks the directory.
func (d *directory) release() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.unlock()
}

// unlock unlocks the directory. mu is held.
func (d *directory) unlock() {
	if d.lock != nil {
		d.lock.Close()
		d.lock = nil
	}
}
