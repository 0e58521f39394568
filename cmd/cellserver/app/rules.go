package app

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	"cellserver/cmd/cellserver/ruleurl"
	"cellserver/internal/config"
	"cellserver/limiters/ruleset"
)

// configureRules reads the rules-file, or follows the rules-url. A configuration may set only one of the two.
func (a *App) configureRules(cfg *config.Config) error {
	if cfg.RulesURL != "" {
		a.rules.forget()
		a.ruleURL.Follow(cfg.RulesURL)
		return nil
	}
	if err := a.rules.configure(cfg); err != nil || !a.ruleURL.Follow("") {
		return err
	}
	if cfg.RulesFile == "" {
		return a.server.UseRules("", nil)
	}
	a.rules.reload() // an answer of the URL may have come into force meanwhile
	return nil
}

// initRuleURL makes the source of rules-url. Its copy is a file in dir.
func (a *App) initRuleURL() {
	a.ruleURL.Log, a.ruleURL.Use, a.ruleURL.Copy = a.log.Logger, a.server.UseRules, ruleCopy{a.server.Config}
	a.ruleURL.Init()
}

// ruleSource returns the state of the rules-file or the rules-url.
func (a *App) ruleSource() ruleset.Source {
	if a.server.Config().RulesURL != "" {
		return a.ruleURL.State()
	}
	return *a.rules.state.Load()
}

// ruleCopy is the copy of the rules of rules-url.
type ruleCopy struct{ config func() *config.Config }

func (c ruleCopy) path() string { return filepath.Join(c.config().Dir, "rules-url.yaml") }

// Read implements [ruleurl.Copy].
func (c ruleCopy) Read() (text []byte, err error) {
	text, _, err = readRegular(c.path(), ruleurl.MaxBytes+1024) // the heading has the URL
	return text, err
}

// Write implements [ruleurl.Copy].
func (c ruleCopy) Write(text []byte) error { return replaceFile(c.path(), text, 0o600) }

// ruleFile is the rules-file. It is read again when its time or size changes. If the file has an error, the previous rules
// stay in force.
type ruleFile struct {
	log *logger
	use func(path string, text []byte) error // puts rules in force

	mu    sync.Mutex // guards the fields below, and is held while the file is read
	path  string     // "" for none
	stamp fileStamp  // of the last read

	state atomic.Pointer[ruleset.Source] // never nil; read without mu, because a file system may not answer
}

// fileStamp distinguishes the versions of a file. The zero fileStamp is that of a missing file.
type fileStamp struct {
	changed time.Time
	size    int64
}

// maxRuleBytes bounds the size of a rules-file.
const maxRuleBytes = 4 << 20

// configure reads the file that a configuration names, unless the path is the same as before. An error changes nothing.
func (f *ruleFile) configure(cfg *config.Config) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	path := pathOf(cfg, cfg.RulesFile)
	if path == f.path {
		return nil
	}
	stamp, err := f.read(path)
	if err != nil {
		return err
	}
	f.path, f.stamp = path, stamp
	f.begin(path)
	return nil
}

// begin begins the state of another file; path "" means no file.
func (f *ruleFile) begin(path string) {
	f.state.Store(&ruleset.Source{})
	if path != "" {
		f.state.Store(&ruleset.Source{Kind: "file"})
		f.record(true, nil)
	}
}

// record notes the result of a check of the file in the state. changed says whether its rules came into force.
func (f *ruleFile) record(changed bool, err error) {
	next := *f.state.Load()
	if err != nil {
		next.Failed()
	} else {
		next.Succeeded(time.Now().UnixNano(), changed)
	}
	f.state.Store(&next)
}

// forget ends the watch of the file. Its rules stay in force until others replace them.
func (f *ruleFile) forget() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.path, f.stamp = "", fileStamp{}
	f.begin("")
}

// read puts the rules of a file in force; path "" means no rules. It returns the stamp of the file, also with an error
// if the file exists.
func (f *ruleFile) read(path string) (stamp fileStamp, err error) {
	var text []byte
	if path != "" {
		if text, stamp, err = readRules(path); err != nil {
			return stamp, fmt.Errorf("rules-file %s: %w", path, cause(err))
		}
	}
	return stamp, f.use(path, text)
}

func readRules(path string) (text []byte, stamp fileStamp, err error) {
	text, info, err := readRegular(path, maxRuleBytes)
	if info != nil {
		stamp = fileStamp{info.ModTime(), info.Size()}
	}
	return text, stamp, err
}

// CheckRules reads a rules-file as the server does, and returns the names of its rules.
func CheckRules(path string) (names []string, err error) {
	var checked ruleset.Rules
	file := ruleFile{use: checked.UseFile}
	if _, err := file.read(path); err != nil {
		return nil, err
	}
	for _, one := range checked.Report() {
		names = append(names, one.Name)
	}
	return names, nil
}

// reload reads the file again.
func (f *ruleFile) reload() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.readAgain()
}

// rulesInterval is the time between two checks of the file.
const rulesInterval = time.Second

// watch polls the file until ctx ends. It has a goroutine of its own, so that nothing else waits for a file system that
// does not answer.
func (f *ruleFile) watch(ctx context.Context) {
	ticker := time.NewTicker(rulesInterval)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
			f.log.guard("a look at the rules-file panicked", f.poll)
		}
	}
}

// poll reads the file again if its stamp has changed.
func (f *ruleFile) poll() {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.path == "" {
		return
	}
	var now fileStamp
	if info, err := os.Stat(f.path); err == nil {
		now = fileStamp{info.ModTime(), info.Size()}
	}
	switch {
	case now != f.stamp:
		f.stamp = now
		f.readAgain()
	case !f.state.Load().Failing:
		f.record(false, nil)
	}
}

// readAgain requires mu. It logs an error, and then the previous rules stay in force.
func (f *ruleFile) readAgain() {
	if f.path == "" {
		return
	}
	stamp, err := f.read(f.path)
	if stamp != (fileStamp{}) {
		f.stamp = stamp
	}
	if err != nil {
		f.record(false, err)
		f.log.Warn("the rules-file is refused, and the previous rules stay in force: correct the file", "error", err)
		return
	}
	f.record(true, nil)
	f.log.Info("the rules-file was read again", "file", f.path)
}
