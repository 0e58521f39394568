package persistence

import (
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"sync"

	"cellserver/persistence/fs"
)

// lockName is the file that says that a directory has its server.
const lockName = "LOCK"

// home is the directory that is written to, and its lock.
type home struct {
	mu   sync.Mutex
	dir  string
	lock io.Closer // nil before anything is written
}

// own makes sure that the directory is there and that no other process writes to it.
func (h *home) own(files fs.FS, dir string) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.lock != nil && h.dir == dir {
		return nil
	}
	if err := files.Mkdir(dir); err != nil {
		return err
	}
	lock, err := files.Lock(filepath.Join(dir, lockName))
	if errors.Is(err, fs.ErrLocked) {
		return fmt.Errorf("the directory %s belongs to another server that runs: stop it, or choose another one with --dir", dir)
	}
	if err != nil {
		return err
	}
	h.release()
	h.dir, h.lock = dir, lock
	return nil
}

// move owns another directory, if one is owned.
func (h *home) move(files fs.FS, dir string) error {
	h.mu.Lock()
	owns := h.lock != nil
	h.mu.Unlock()
	if !owns {
		return nil
	}
	return h.own(files, dir)
}

// leave gives the directory back.
func (h *home) leave() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.release()
}

func (h *home) release() {
	if h.lock != nil {
		h.lock.Close()
		h.lock = nil
	}
}
