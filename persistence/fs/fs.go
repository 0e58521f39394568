package fs

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"syscall"
)

// FS is a file system. Paths are those of package os.
type FS interface {
	// Open opens a file, with the flags of os.OpenFile (os.O_RDONLY; os.O_WRONLY with
	// os.O_CREATE, os.O_EXCL, os.O_TRUNC, os.O_APPEND). It creates files with the mode 0644, less the
	// umask. The error is ErrNoFile if the name is that of something else, such as a named pipe.
	Open(name string, flag int) (File, error)
	// Rename renames a file or a directory. A file replaces a file that has the new name.
	Rename(from, to string) error
	// Remove removes a file.
	Remove(name string) error
	// Mkdir makes a directory. An existing directory is not an error.
	Mkdir(name string) error
	// List returns the names of the files and directories in a directory, sorted.
	List(dir string) ([]string, error)
	// SyncDir forces the names in a directory to disk.
	SyncDir(dir string) error
	// Lock locks a file for this process, and creates the file if it does not exist. The lock lasts until the
	// Closer is closed or the process ends. The error is ErrLocked if another process has the lock.
	Lock(name string) (io.Closer, error)
	// Same reports whether a name is still the name of a file that Open or Lock returned. It is false after
	// the file or its directory was removed, renamed or replaced.
	Same(name string, file io.Closer) (bool, error)
}

// File is an open file.
type File interface {
	io.Reader
	io.ReaderAt
	io.Writer
	io.WriterAt // not for a file that Open opened with os.O_APPEND
	io.Closer
	// Sync forces the file's bytes and its size to disk.
	Sync() error
	// Truncate changes the size.
	Truncate(size int64) error
	// Size returns the size in bytes.
	Size() (int64, error)
	// Modified returns when the file was last written, in Unix nanoseconds of the clock at that time.
	Modified() (int64, error)
}

// DropCache advises the kernel to drop n bytes of a file from the page cache, beginning at the byte from.
// The kernel keeps bytes that are not on disk. DropCache does nothing for a file of another [FS] than [OS],
// or on another system than Linux.
func DropCache(f File, from, n int64) {
	if c, ok := f.(interface{ DropCache(from, n int64) }); ok {
		c.DropCache(from, n)
	}
}

// ErrLocked is the error of a file that another process has locked.
var ErrLocked = errors.New("another process has locked the file")

// ErrNoFile is the error of the name of something else than a file, such as a directory.
var ErrNoFile = errors.New("not a file")

// Exists reports whether a file exists and can be opened.
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

// IgnoreMissing returns nil if err says that a file does not exist. It returns every other error without a
// change.
func IgnoreMissing(err error) error {
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	return err
}

// IsFull reports whether an error says that a disk has no room.
func IsFull(err error) bool { return errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) }

// ReadFile reads a small file. It returns at most one byte more than `most`, so that the caller notices a
// longer file.
func ReadFile(files FS, name string, most int64) ([]byte, error) {
	f, err := files.Open(name, os.O_RDONLY)
	if err != nil {
		return nil, err
	}
	text, err := io.ReadAll(io.LimitReader(f, most+1))
	return text, errors.Join(err, f.Close())
}

// WriteFile is [Replace] with a text, and forces the name to disk.
func WriteFile(files FS, name string, text []byte) error {
	err := Replace(files, name, func(f File) error {
		_, err := f.Write(text)
		return err
	})
	if err != nil {
		return err
	}
	return files.SyncDir(filepath.Dir(name))
}

// Edit opens a file for writing at its beginning, changes it, and forces the changes to disk.
func Edit(files FS, name string, change func(File) error) error {
	f, err := files.Open(name, os.O_WRONLY)
	if err != nil {
		return err
	}
	if err = change(f); err == nil {
		err = f.Sync()
	}
	return errors.Join(err, f.Close())
}

// TempName returns the path at which [Replace] writes the new contents of a file.
func TempName(name string) string {
	return filepath.Join(filepath.Dir(name), "temp-"+filepath.Base(name))
}

// Replace gives a file new contents, or leaves the file as it was. Every reader finds the old
// contents or the new ones, even after a crash. Call [FS.SyncDir] afterwards: then the new contents
// survive a power cut.
func Replace(files FS, name string, write func(File) error) error {
	temp := TempName(name)
	f, err := files.Open(temp, os.O_WRONLY|os.O_CREATE|os.O_TRUNC)
	if err != nil {
		return err
	}
	err = write(f)
	if err == nil {
		err = f.Sync()
	}
	err = errors.Join(err, f.Close())
	if err == nil {
		err = files.Rename(temp, name)
	}
	if err != nil {
		return errors.Join(err, IgnoreMissing(files.Remove(temp)))
	}
	return nil
}
