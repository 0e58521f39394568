package fs

import (
	"errors"
	"fmt"
	"io"
	"os"
)

// OS is the file system of the operating system.
type OS struct{}

// Open implements [FS].
func (OS) Open(name string, flag int) (File, error) {
	var f *os.File
	err := BlockingCall(func() (err error) {
		f, err = os.OpenFile(name, flag, 0o644)
		return err
	})
	if err != nil {
		return nil, err
	}
	return osFile{f}, nil
}

// Rename implements [FS].
func (OS) Rename(from, to string) error {
	return BlockingCall(func() error { return os.Rename(from, to) })
}

// Remove implements [FS].
func (OS) Remove(name string) error {
	return BlockingCall(func() error { return os.Remove(name) })
}

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
	return errors.Join(BlockingCall(d.Sync), d.Close())
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
	var there os.FileInfo
	err = BlockingCall(func() (err error) {
		there, err = os.Stat(name)
		return err
	})
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
