package aof

import (
	"sync"
	"sync/atomic"

	"cellserver/persistence/fs"
)

// File is a file that is written to.
type File struct {
	entry entry
	size  atomic.Int64 // of what was written whole

	file fs.File

	syncing sync.Mutex // held while the file is synced or closed; guards done
	done    bool       // it is closed
}

// append writes a batch, after its header is filled in. Of a batch that does not go in
// whole nothing shall stay.
func (f *File) append(batch []byte) error {
	seal(batch)
	_, err := f.file.Write(batch)
	if err != nil {
		f.file.Truncate(f.size.Load()) // if that fails, too, the file has a torn tail
		return err
	}
	f.size.Add(int64(len(batch)))
	return nil
}

// sync forces what was written to disk.
func (f *File) sync() error {
	f.syncing.Lock()
	defer f.syncing.Unlock()
	if f.done {
		return nil
	}
	return f.file.Sync()
}

// finish forces what was written to disk, and closes the file.
func (f *File) finish() error {
	err := f.sync()
	f.abandon()
	return err
}

// abandon closes the file as it is.
func (f *File) abandon() {
	f.syncing.Lock()
	defer f.syncing.Unlock()
	if !f.done {
		f.done = true
		f.file.Close() // every error that matters came before
	}
}
