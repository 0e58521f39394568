package fs

import (
	"errors"
	"os"
	"syscall"
)

// Sync implements [File]. Times of last use need not last, so it is spared writing them.
func (f osFile) Sync() error {
	for {
		if err := syscall.Fdatasync(int(f.Fd())); !errors.Is(err, syscall.EINTR) {
			if err != nil {
				return &os.PathError{Op: "fdatasync", Path: f.Name(), Err: err}
			}
			return nil
		}
	}
}
