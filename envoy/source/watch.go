package source

import (
	"context"
	"errors"
	"path/filepath"
	"time"

	"github.com/fsnotify/fsnotify"
)

const (
	// settle is how long nothing changes before the files are read. A part of a file may be good, and lack limits.
	settle = 500 * time.Millisecond
	// longest is how long changes may follow each other until the files are read all the same.
	longest = time.Minute
	// rewatch is how long a folder that does not exist is left alone.
	rewatch = 2 * time.Second
)

// Watch reads the files. The function that it returns reads them again when they change, until the context
// ends.
func (l *Loader) Watch(f Folders) (follow func(context.Context) error, err error) {
	watcher, err := fsnotify.NewWatcher()
	if err != nil {
		return nil, err
	}
	watched, _ := f.folder()
	if f.WatchRoot {
		watched = filepath.Dir(filepath.Clean(f.Root)) // the link in it is replaced
	}
	isWatched := watcher.Add(watched) == nil
	_ = l.read(f) // after the watcher, so that no change is missed
	return func(ctx context.Context) error {
		defer watcher.Close()
		l.follow(ctx, f, watcher, watched, isWatched)
		return nil
	}, nil
}

// follow reads the files again when the folder changes. isWatched says whether the watcher has it.
func (l *Loader) follow(
	ctx context.Context, f Folders, watcher *fsnotify.Watcher, watched string, isWatched bool,
) {
	tick := time.Tick(rewatch)
	var due, late <-chan time.Time
	change := func() {
		if due = time.After(settle); late == nil {
			late = time.After(longest)
		}
	}
	read := func() {
		due, late = nil, nil
		_ = l.read(f)
	}
	for {
		select {
		case <-ctx.Done():
			return
		case event := <-watcher.Events:
			if event.Name == watched && event.Op.Has(fsnotify.Remove|fsnotify.Rename) {
				isWatched = false
			}
			if !f.WatchRoot || isNewRoot(event, f.Root) {
				change()
			}
		case err := <-watcher.Errors:
			l.log.Warn("the folder of the rules is read again, as changes were missed", "error", err)
			change()
		case <-tick:
			if !isWatched && watcher.Add(watched) == nil {
				isWatched = true
				change()
			}
		case <-due:
			read()
		case <-late:
			read()
		}
	}
}

// isNewRoot reports whether an event says that there is another root. A root that goes away is none.
func isNewRoot(event fsnotify.Event, root string) bool {
	return filepath.Clean(event.Name) == filepath.Clean(root) && event.Has(fsnotify.Create|fsnotify.Write)
}

// read uses what the folders have. There may be no folder at the start, but one that goes away later is a
// fault.
func (l *Loader) read(f Folders) error {
	files, err := f.Read(l.log)
	if errors.Is(err, errNoFolder) && !l.hasLoaded() {
		l.log.Warn("there are no rules: " + err.Error())
		files, err = nil, nil
	}
	return l.load(files, err)
}
