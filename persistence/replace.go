package persistence

import (
	"io"
	"path/filepath"

	"cellserver/persistence/fs"
)

// replace gives a file new contents, or leaves the file as it was, and forces its name to disk.
func replace(files fs.FS, name string, j *job, write func(io.Writer) error) error {
	err := fs.Replace(files, name, func(f fs.File) error { return write(&pacedWriter{file: f, job: j}) })
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
