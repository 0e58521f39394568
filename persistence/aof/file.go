package aof

import (
	"sync"
	"sync/atomic"

	"cellserver/persistence/aof/format"
	"cellserver/persistence/fs"
)

// File is a file of changes that is being written.
type File struct {
	entry format.Entry
	size  atomic.Int64 // of all whole batches, in bytes

	file fs.File

	syncing sync.Mutex // held while the file is synced or closed; guards closed
	closed  bool
}

// append fills in the header of a batch and writes the batch. If it can write only a part, it
// removes that part.
func (f *File) append(batch []byte) error {
	if err := format.Seal(batch); err != nil {
		return err
	}
	_, err := f.file.Write(batch)
	if err != nil {
		f.file.Truncate(f.size.Load()) // if that fails too, the file has a torn tail
		return err
	}
	f.size.Add(int64(len(batch)))
	return nil
}

// sync forces all written bytes to disk.
func (f *File) sync() error {
	f.syncing.Lock()
	defer f.syncing.Unlock()
	if f.closed {
		return nil
	}
	return f.file.Sync()
}

// finish forces everything to disk, and closes the file.
func (f *File) finish() error {
	err := f.sync()
	f.close()
	return err
}

// close closes the file without a sync.
func (f *File) close() {
	f.syncing.Lock()
	defer f.syncing.Unlock()
	if !f.closed {
		f.closed = true
		f.file.Close() // a sync has reported every error that matters
	}
}
