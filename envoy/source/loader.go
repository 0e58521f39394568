package source

import (
	"errors"
	"log/slog"
	"strings"
	"sync"

	"cellserver/envoy/config"
	"cellserver/envoy/stats"
)

// A Loader builds sets of rules, and gives the good ones to the service.
type Loader struct {
	merge     bool
	use       func(*config.Set)
	log       *slog.Logger
	good, bad *stats.Counter

	mu      sync.Mutex // guards the fields below, and makes loads one after the other
	extra   string     // the path of the second file, or ""
	content []byte     // of the second file at the last load, nil if it could not be read
	seen    []byte     // of the second file at the last comparison
	files   []config.File
	loaded  bool // files are good ones
}

// NewLoader makes a loader. With merge, several files may have the same domain.
func NewLoader(merge bool, use func(*config.Set), registry *stats.Registry, log *slog.Logger) *Loader {
	return &Loader{
		merge: merge, use: use, log: log,
		good: registry.Counter("ratelimit.service.config_load_success"),
		bad:  registry.Counter("ratelimit.service.config_load_error"),
	}
}

// hasLoaded reports whether there was a good set of files.
func (l *Loader) hasLoaded() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.loaded
}

// load uses a set of files. If they are bad, or could not be read, the old rules stay.
func (l *Loader) load(files []config.File, err error) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.loadLocked(files, err)
}

// loadLocked is load for a caller that has the lock.
func (l *Loader) loadLocked(files []config.File, err error) error {
	var set *config.Set
	if err == nil {
		set, err = config.Build(files, l.merge)
	}
	if err == nil {
		l.files, l.loaded = files, true
		err = l.extend(set)
	}
	if err != nil {
		err = shortened(err)
		l.bad.Add(1)
		l.log.Error("the new rules are not used, the old ones stay: " + err.Error())
		return err
	}
	l.use(set)
	l.good.Add(1)
	l.log.Info("new rules are used", "files", len(files), "rules", len(set.Rules))
	return nil
}

// maxError bounds the text of an error. The rules choose a part of it.
const maxError = 1000

// shortened cuts the text of an error.
func shortened(err error) error {
	text := err.Error()
	if len(text) <= maxError {
		return err
	}
	return errors.New(strings.ToValidUTF8(text[:maxError], "") + "…")
}
