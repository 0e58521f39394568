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

	syncing sync.Mutex // held while the file is synced or closed; guards the fields below
	closed  bool
	failed  error // of the first sync that has failed
	dropped int64 // how many bytes from the start were dropped from the page cache
}

// The kernel keeps written bytes in its page cache until it needs the memory. But a server reads its log
// only at the start, and in a container the page cache counts as memory of the server. So a sync leaves only
// the end of a file in the page cache. Later writes use the dropped pages, which costs less than new ones.
const (
	keptInCache = 64 << 20 // bytes
	dropStep    = 4 << 20  // bytes: the kernel drops a multiple of this, which is a multiple of a page
)

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

// sync forces all written bytes to disk. After a failure it always fails: the kernel tells an error once, and
// the next sync would succeed without the lost bytes.
func (f *File) sync() error {
	f.syncing.Lock()
	defer f.syncing.Unlock()
	if f.closed || f.failed != nil {
		return f.failed
	}
	size := f.size.Load()
	if f.failed = f.file.Sync(); f.failed == nil {
		f.dropCache(size)
	}
	return f.failed
}

// dropCache drops all but the end of the file from the page cache. synced is how many bytes are on disk.
func (f *File) dropCache(synced int64) {
	if n := (synced - keptInCache - f.dropped) / dropStep * dropStep; n > 0 {
		fs.DropCache(f.file, f.dropped, n)
		f.dropped += n
	}
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
