package persistence

import (
	"fmt"
	"io"
	"path/filepath"
	"runtime/debug"

	"cellserver/persistence/fs"
)

// replace gives a file new contents, or leaves the file as it was, and forces its name to disk. A panic of write
// is an error: a job in the background must not end the server.
func replace(files fs.FS, name string, j *job, write func(io.Writer) error) error {
	err := fs.Replace(files, name, func(f fs.File) (err error) {
		defer func() {
			if reason := recover(); reason != nil {
				err = fmt.Errorf("it panicked: %v\n%s", reason, debug.Stack())
			}
		}()
		return write(&pacedWriter{file: f, job: j})
	})
	if err != nil {
		return err
	}
	return files.SyncDir(filepath.Dir(name))
}

// pacedWriter writes a file and syncs it as it grows, so the disk never gets everything at once. It
// fails after the end of its job.
type pacedWriter struct {
	file     fs.File
	job      *job
	unsynced int
}

// syncEvery is the number of bytes between two syncs.
const syncEvery = 32 << 20

// Write implements io.Writer.
func (w *pacedWriter) Write(p []byte) (int, error) {
	if w.job.stopped.Load() {
		return 0, errStopped
	}
	n, err := w.file.Write(p)
	if w.unsynced += n; err == nil && w.unsynced >= syncEvery {
		w.unsynced = 0
		err = w.file.Sync()
	}
	return n, err
}
