package source

import (
	"bytes"
	"context"
	"fmt"
	"time"

	"cellserver/envoy/config"
	"cellserver/envoy/extra"
)

// extraEvery is how often the second file is compared with what was loaded.
const extraEvery = 2 * time.Second

// FollowExtra makes the loader use a second file with every set of rules. The function that it returns
// loads the rules again when this file changes, until the context ends.
func (l *Loader) FollowExtra(path string) func(context.Context) {
	l.extra = path
	return func(ctx context.Context) {
		for tick := time.Tick(extraEvery); ; {
			select {
			case <-ctx.Done():
				return
			case <-tick:
				l.compareExtra()
			}
		}
	}
}

// compareExtra loads the last good files again if the second file has changed, and no longer changes. A part of
// the file may be good, and lack limits.
func (l *Loader) compareExtra() {
	content, err := readFile(l.extra)
	l.mu.Lock()
	defer l.mu.Unlock()
	isWhole := l.seen != nil && bytes.Equal(content, l.seen)
	l.seen = content
	if l.loaded && err == nil && isWhole && (l.content == nil || !bytes.Equal(content, l.content)) {
		_ = l.loadLocked(l.files, nil)
	}
}

// extend adds the second file to a set, if there is one.
func (l *Loader) extend(set *config.Set) error {
	if l.extra == "" {
		return nil
	}
	var unknown []string
	var err error
	l.content, unknown, err = Extend(set, l.extra)
	for _, name := range unknown {
		l.log.Warn("the second file names what the rules do not have", "file", l.extra, "name", name)
	}
	return err
}

// Extend adds a second file to a set. It returns the content of the file, and its names that the set lacks.
func Extend(set *config.Set, path string) (content []byte, unknown []string, err error) {
	if content, err = readFile(path); err != nil {
		return nil, nil, err
	}
	file, err := extra.Parse(content)
	if err == nil {
		unknown, err = set.Extend(file)
	}
	if err != nil {
		err = fmt.Errorf("%s: %w", path, err)
	}
	return content, unknown, err
}
