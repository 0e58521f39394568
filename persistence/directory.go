package persistence

import (
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"sync"

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
		return nil
	}
	if err := files.Mkdir(path); err != nil {
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

// move owns another directory, if a directory is owned.
func (d *directory) move(files fs.FS, path string) error {
	d.mu.Lock()
	owned := d.lock != nil
	d.mu.Unlock()
	if !owned {
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
