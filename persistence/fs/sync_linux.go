package fs

import (
	"errors"
	"os"
	"syscall"
)

// sync spares the system what need not last: times of last use.
func (f osFile) sync() error {
	for {
		if err := syscall.Fdatasync(int(f.Fd())); !errors.Is(err, syscall.EINTR) {
			if err != nil {
				return &os.PathError{Op: "fdatasync", Path: f.Name(), Err: err}
			}
			return nil
		}
	}
}
