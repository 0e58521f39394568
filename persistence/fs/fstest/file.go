package fstest

import (
	"errors"
	"io"
)

// file is an open file of a Memory.
type file struct {
	fs     *Memory
	name   string
	node   *inode
	at     int
	append bool
}

// Read implements io.Reader.
func (f *file) Read(p []byte) (int, error) {
	f.fs.mu.Lock()
	defer f.fs.mu.Unlock()
	n, err := f.read(p, int64(f.at))
	f.at += n
	return n, err
}

// ReadAt implements io.ReaderAt.
func (f *file) ReadAt(p []byte, at int64) (int, error) {
	f.fs.mu.Lock()
	defer f.fs.mu.Unlock()
	n, err := f.read(p, at)
	if err == nil && n < len(p) {
		err = io.EOF
	}
	return n, err
}

func (f *file) read(p []byte, at int64) (int, error) {
	if err := f.fs.begin("read", f.name); err != nil {
		return 0, err
	}
	if at >= int64(len(f.node.data)) {
		return 0, io.EOF
	}
	return copy(p, f.node.data[at:]), nil
}

// Write implements io.Writer.
func (f *file) Write(p []byte) (int, error) {
	f.fs.mu.Lock()
	defer f.fs.mu.Unlock()
	err := f.fs.begin("write", f.name)
	if short := (*Short)(nil); errors.As(err, &short) {
		p = p[:min(short.Bytes, len(p))]
	} else if err != nil {
		return 0, err
	}
	if f.fs.Clock != nil {
		f.node.modified = f.fs.Clock()
	}
	if f.append {
		f.at = len(f.node.data)
	}
	f.node.write(p, f.at)
	f.at += len(p)
	return len(p), err
}

// WriteAt implements io.WriterAt. It writes all or nothing, as a disk does within a sector.
func (f *file) WriteAt(p []byte, at int64) (int, error) {
	f.fs.mu.Lock()
	defer f.fs.mu.Unlock()
	if err := f.fs.begin("write", f.name); err != nil {
		return 0, err
	}
	f.node.write(p, int(at))
	return len(p), nil
}

// write changes the bytes at an offset.
func (n *inode) write(p []byte, at int) {
	n.written = min(n.written, at, len(n.data))
	if end := at + len(p); end > len(n.data) {
		n.data = append(n.data, make([]byte, end-len(n.data))...)
	}
	copy(n.data[at:], p)
	n.remember(at, at+len(p))
}

// Sync implements [fs.File].
func (f *file) Sync() error {
	f.fs.mu.Lock()
	defer f.fs.mu.Unlock()
	if err := f.fs.begin("sync", f.name); err != nil {
		if forgotten := (*Forgotten)(nil); errors.As(err, &forgotten) {
			f.node.forget()
		}
		return err
	}
	f.node.sync()
	return nil
}

// Truncate implements [fs.File].
func (f *file) Truncate(size int64) error {
	f.fs.mu.Lock()
	defer f.fs.mu.Unlock()
	if err := f.fs.begin("truncate", f.name); err != nil {
		return err
	}
	data := f.node.data
	f.node.written = min(f.node.written, int(size), len(data))
	f.node.data = append(data, make([]byte, max(int(size)-len(data), 0))...)[:size]
	return nil
}

// Size implements [fs.File].
func (f *file) Size() (int64, error) {
	f.fs.mu.Lock()
	defer f.fs.mu.Unlock()
	return int64(len(f.node.data)), nil
}

// Modified implements [fs.File].
func (f *file) Modified() (int64, error) {
	f.fs.mu.Lock()
	defer f.fs.mu.Unlock()
	return f.node.modified, nil
}

// Close implements io.Closer.
func (f *file) Close() error { return nil }
