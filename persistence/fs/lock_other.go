//go:build !unix

package fs

import (
	"io"
	"os"
)

// Lock implements [FS] in part, because these systems have no flock: it creates the file and keeps it open,
// but another process can do the same.
func (OS) Lock(name string) (io.Closer, error) {
	return os.OpenFile(name, os.O_RDWR|os.O_CREATE, 0o644)
}
