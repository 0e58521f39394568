package rulefile

import (
	"crypto/sha256"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"cellserver/limiters/ruleset"
)

// Interval is the time between two looks at the file. A change comes into force after two looks.
const Interval = 500 * time.Millisecond

// File is the rules-file. The exported fields do not change.
type File struct {
	Log *slog.Logger
	// Read reads the file of a path.
	Read func(path string) ([]byte, error)
	// Use puts rules in force, or refuses them as a whole. The text nil stands for no file.
	Use func(path string, text []byte) error

	mu     sync.Mutex // guards the fields below, and is held while the file is read
	named  string     // what the configuration says, with the directory that it depends on
	path   string     // "" for none
	seen   look       // what is in force, or is refused
	waits  look       // another one, which the next look must find again
	waited bool       // there is one that waits

	// state is nil for none. It is read without mu, because a file system may not answer.
	state atomic.Pointer[ruleset.Source]
}

// look is what a look at the file found. Equal looks found the same.
type look struct {
	text  [sha256.Size]byte
	fault string // why there is no text
}

// State returns the state of the file.
func (f *File) State() ruleset.Source {
	if s := f.state.Load(); s != nil {
		return *s
	}
	return ruleset.Source{}
}

// Configure reads the file of a path, and puts its rules in force. `named` is how the configuration names it:
// while that stays the same, Configure does nothing. `path` "" means no file and no rules. An error changes
// nothing.
func (f *File) Configure(named, path string) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if named == f.named {
		return nil
	}
	if path == "" {
		f.forget()
		return f.Use("", nil)
	}
	seen, text, err := f.look(path)
	if err == nil {
		err = f.Use(path, text)
	}
	if err != nil {
		return err
	}
	f.named, f.path, f.seen, f.waited = named, path, seen, false
	f.state.Store(&ruleset.Source{Kind: "file"})
	f.record(true, nil)
	return nil
}

// Forget ends the watch of the file. Its rules stay in force until others replace them.
func (f *File) Forget() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.forget()
}

func (f *File) forget() {
	f.named, f.path, f.seen, f.waited = "", "", look{}, false
	f.state.Store(nil)
}

// look reads a file. The error names the file.
func (f *File) look(path string) (look, []byte, error) {
	text, err := f.Read(path)
	if err != nil {
		err = fmt.Errorf("rules-file %s: %w", path, err)
		return look{fault: err.Error()}, nil, err
	}
	return look{text: sha256.Sum256(text)}, text, nil
}

// Reload makes the next looks take the file, also if it is the same.
func (f *File) Reload() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.seen = look{}
}

// Poll looks at the file. If the file differs from what was seen, and the look before has found the same, the
// rules come into force.
func (f *File) Poll() {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.path == "" {
		return
	}
	found, text, err := f.look(f.path)
	switch {
	case found == f.seen:
		f.waited = false
		if !f.State().Failing {
			f.record(false, nil)
		}
	case !f.waited || f.waits != found:
		f.waits, f.waited = found, true
	default:
		f.take(found, text, err)
	}
}

// take puts a text in force. It logs an error, and then the previous rules stay in force. It requires mu.
func (f *File) take(found look, text []byte, err error) {
	f.seen, f.waited = found, false
	if err == nil {
		err = f.Use(f.path, text)
	}
	if err != nil {
		f.record(false, err)
		f.Log.Warn("the rules-file is refused, and the previous rules stay in force: correct the file",
			"error", err)
		return
	}
	f.record(true, nil)
}

// record notes the result of a look in the state. `changed` says whether rules came into force.
func (f *File) record(changed bool, err error) {
	next := f.State()
	if err != nil {
		next.Failed(err)
	} else {
		next.Succeeded(time.Now().UnixNano(), changed)
	}
	f.state.Store(&next)
}
