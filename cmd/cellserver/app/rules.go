package app

import (
	"fmt"
	"io"
	"os"
	"sync"
	"time"

	"cellserver/internal/config"
)

// ruleFile is the rules-file. It is read again when it looks different; while it is
// wrong, the rules that were read before stay in force.
type ruleFile struct {
	mu   sync.Mutex // guards what follows, and is held while the file is read
	path string     // "" for none
	seen look
}

// look is how a file looks from outside.
type look struct {
	changed time.Time
	size    int64
}

// mostRuleBytes bounds what a rules-file may hold.
const mostRuleBytes = 4 << 20

// follow reads the file that a configuration names, unless it is the one that is in
// force already. An error changes nothing.
func (f *ruleFile) follow(a *App, cfg *config.Config) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	path := inDir(cfg, cfg.RulesFile)
	if path == f.path {
		return nil
	}
	next := ruleFile{path: path}
	if err := next.read(a); err != nil {
		return err
	}
	f.path, f.seen = next.path, next.seen
	return nil
}

// read puts the rules of the file into force, or none without a file.
func (f *ruleFile) read(a *App) error {
	var text []byte
	if f.path != "" {
		var err error
		if text, err = f.contents(); err != nil {
			return fmt.Errorf("rules-file %s: %w", f.path, reason(err))
		}
	}
	return a.commands.UseRules(f.path, text)
}

func (f *ruleFile) contents() ([]byte, error) {
	file, err := os.Open(f.path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return nil, err
	}
	f.seen = look{info.ModTime(), info.Size()}
	text, err := io.ReadAll(io.LimitReader(file, mostRuleBytes+1))
	if err == nil && len(text) > mostRuleBytes {
		err = fmt.Errorf("more than %d bytes", mostRuleBytes)
	}
	return text, err
}

// ReloadRules reads the rules-file again, whether or not it looks different: SIGHUP. The
// log says what came of it.
func (a *App) ReloadRules() {
	a.rules.mu.Lock()
	defer a.rules.mu.Unlock()
	a.rules.reload(a)
}

// poll reads the file again if it looks different.
func (f *ruleFile) poll(a *App) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.path == "" {
		return
	}
	var now look // of a file that is not there
	if info, err := os.Stat(f.path); err == nil {
		now = look{info.ModTime(), info.Size()}
	}
	if now != f.seen {
		f.seen = now
		f.reload(a)
	}
}

func (f *ruleFile) reload(a *App) {
	if f.path == "" {
		return
	}
	if err := f.read(a); err != nil {
		a.log.Warn("the rules-file is refused; the rules that were read before stay in force", "error", err)
		return
	}
	a.log.Info("the rules-file was read again", "file", f.path)
}
