package fs

import (
	"errors"
	"os"
	"syscall"
)

// Sync implements [File] with fdatasync: the access times of a file need not survive a power cut.
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
