package source

import (
	"context"
	"path/filepath"
	"time"

	"github.com/fsnotify/fsnotify"
)

const (
	// settle is how long changes are collected before the files are read.
	settle = 50 * time.Millisecond
	// rewatch is how long a folder that does not exist is left alone.
	rewatch = 2 * time.Second
)

// Watch reads the files, and reads them again when they change. It returns when the context ends.
func (l *Loader) Watch(ctx context.Context, f Folders) error {
	watcher, err := fsnotify.NewWatcher()
	if err != nil {
		return err
	}
	defer watcher.Close()
	watched, _ := f.folder()
	if f.WatchRoot {
		watched = filepath.Dir(filepath.Clean(f.Root)) // the link in it is replaced
	}
	isWatched := watcher.Add(watched) == nil
	_ = l.load(f.Read(l.log)) // after the watcher, so that no change is missed
	retry := time.NewTicker(rewatch)
	defer retry.Stop()
	var due <-chan time.Time
	for {
		select {
		case <-ctx.Done():
			return nil
		case event := <-watcher.Events:
			if f.WatchRoot && event.Name != filepath.Clean(f.Root) {
				continue
			}
			if event.Name == watched && event.Op.Has(fsnotify.Remove|fsnotify.Rename) {
				isWatched = false
			}
			if due == nil {
				due = time.After(settle)
			}
		case err := <-watcher.Errors:
			l.log.Warn("the folder of the rules is read again, as changes were missed", "error", err)
			due = time.After(settle)
		case <-retry.C:
			if !isWatched && watcher.Add(watched) == nil {
				isWatched, due = true, time.After(settle)
			}
		case <-due:
			due = nil
			_ = l.load(f.Read(l.log))
		}
	}
}
