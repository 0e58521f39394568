package fs

import (
	"errors"
	"fmt"
	"io"
	"os"
	"syscall"
)

// OS is the file system of the operating system.
type OS struct{}

// Open implements [FS].
func (OS) Open(name string, flag int) (File, error) {
	if err := regular(name); err != nil {
		return nil, err
	}
	f, err := os.OpenFile(name, flag, 0o644)
	if err != nil {
		return nil, err
	}
	return osFile{f}, nil
}

// regular returns an error if a name has something else than a file. To open a named pipe would wait for its
// other end.
func regular(name string) error {
	info, err := os.Stat(name)
	if err != nil || info.Mode().IsRegular() {
		return nil // a name that is not there may be created; every other error comes again
	}
	what := "a special file"
	switch mode := info.Mode(); {
	case mode.IsDir():
		what = "a directory"
	case mode&os.ModeNamedPipe != 0:
		what = "a named pipe"
	case mode&os.ModeSocket != 0:
		what = "a socket"
	case mode&os.ModeDevice != 0:
		what = "a device"
	}
	return &os.PathError{Op: "open", Path: name, Err: fmt.Errorf("%w: it is %s", ErrNoFile, what)}
}

// Rename implements [FS].
func (OS) Rename(from, to string) error { return os.Rename(from, to) }

// Remove implements [FS].
func (OS) Remove(name string) error { return os.Remove(name) }

// Mkdir implements [FS].
func (OS) Mkdir(name string) error {
	err := os.Mkdir(name, 0o755)
	if info, failed := os.Stat(name); failed == nil && info.IsDir() {
		return nil
	}
	return err
}

// List implements [FS].
func (OS) List(dir string) ([]string, error) {
	if info, err := os.Stat(dir); err == nil && !info.IsDir() {
		return nil, &os.PathError{Op: "list", Path: dir, Err: syscall.ENOTDIR}
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	names := make([]string, len(entries))
	for i, e := range entries {
		names[i] = e.Name()
	}
	return names, nil
}

// SyncDir implements [FS].
func (OS) SyncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}

// Same implements [FS].
func (OS) Same(name string, file io.Closer) (bool, error) {
	open, ok := file.(interface{ Stat() (os.FileInfo, error) })
	if !ok {
		return false, fmt.Errorf("%T is no file of this file system", file)
	}
	mine, err := open.Stat()
	if err != nil {
		return false, err
	}
	there, err := os.Stat(name)
	if errors.Is(err, os.ErrNotExist) {
		return false, nil
	}
	return err == nil && os.SameFile(mine, there), err
}

// osFile is an open file of the operating system.
type osFile struct{ *os.File }

// Size implements [File].
func (f osFile) Size() (int64, error) {
	info, err := f.Stat()
	if err != nil {
		return 0, err
	}
	return info.Size(), nil
}

// Modified implements [File].
func (f osFile) Modified() (int64, error) {
	info, err := f.Stat()
	if err != nil {
		return 0, err
	}
	return info.ModTime().UnixNano(), nil
}
