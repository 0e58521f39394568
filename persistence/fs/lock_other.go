//go:build !unix

package fs

import (
	"io"
	"os"
)

// Lock implements [FS] as far as these systems let it: the file is made, and kept open, but
// nobody else is kept away.
func (OS) Lock(name string) (io.Closer, error) {
	return os.OpenFile(name, os.O_RDWR|os.O_CREATE, 0o644)
}
