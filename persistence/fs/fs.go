// Package fs is the part of a file system that persistence uses, as an interface: so that
// tests can make any operation fail, and cut the power between two of them.
//
// What it promises is what POSIX does, and no more: what was written lasts once the file
// was synced, and a name that was made, moved or removed once its directory was. Errors
// are those of package os.
package fs

import (
	"errors"
	"io"
	"os"
)

// FS is a file system. Paths are as for package os.
type FS interface {
	// Open opens a file, with the flags of os.OpenFile (os.O_RDONLY; os.O_WRONLY with
	// os.O_CREATE, os.O_EXCL, os.O_TRUNC, os.O_APPEND). What it creates is for the server's
	// user to write and for everyone to read, as the umask allows.
	Open(name string, flag int) (File, error)
	// Rename gives a file another name; what had that name is gone.
	Rename(from, to string) error
	// Remove removes a file.
	Remove(name string) error
	// Mkdir makes a directory. One that is there already is no error.
	Mkdir(name string) error
	// List returns the names in a directory, sorted.
	List(dir string) ([]string, error)
	// SyncDir makes the names in a directory last.
	SyncDir(dir string) error
	// Lock takes a file, which it makes if need be, for this process, until what it returns
	// is closed or the process ends. Its error is ErrLocked when another one has it.
	Lock(name string) (io.Closer, error)
}

// File is an open file.
type File interface {
	io.Reader
	io.ReaderAt
	io.Writer
	io.Closer
	// Sync makes what was written last: the file's bytes and its size. It waits for the disk ([Aside]).
	Sync() error
	// Truncate changes the size.
	Truncate(size int64) error
	// Size returns the size in bytes.
	Size() (int64, error)
	// Changed returns when it was last written to, in Unix nanoseconds by the clock of then.
	Changed() (int64, error)
}

// ErrLocked says that another process has taken a file.
var ErrLocked = errors.New("another process has it")

// Exists reports whether a file is there, and can be opened.
func Exists(fs FS, name string) (bool, error) {
	f, err := fs.Open(name, os.O_RDONLY)
	if errors.Is(err, os.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	return true, f.Close()
}
