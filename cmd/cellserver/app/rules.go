package app

import (
	"context"
	"path/filepath"
	"time"

	"cellserver/cmd/cellserver/files"
	"cellserver/cmd/cellserver/rulefile"
	"cellserver/cmd/cellserver/ruleurl"
	"cellserver/internal/config"
	"cellserver/limiters/ruleset"
)

// configureRules reads the rules-file, or follows the rules-url. A configuration may set only one of the two.
func (a *App) configureRules(cfg *config.Config) error {
	if cfg.RulesURL != "" {
		a.rules.Forget()
		a.ruleURL.Follow(cfg.RulesURL)
		return nil
	}
	named := cfg.RulesFile
	if named != "" && !filepath.IsAbs(named) {
		named += "\n" + cfg.Dir // where the file may be, too
	}
	err := a.rules.Configure(named, files.PathOf(cfg, cfg.RulesFile))
	if err != nil || !a.ruleURL.Follow("") {
		return err
	}
	if cfg.RulesFile == "" {
		return a.server.UseRules("", nil)
	}
	a.rules.Reload() // an answer of the URL may have come into force meanwhile
	return nil
}

// initRules makes the sources of rules. The copy of rules-url is a file in dir.
func (a *App) initRules() {
	a.rules.Log, a.rules.Read, a.rules.Use = a.log.Logger, readRules, a.server.UseRules
	a.ruleURL.Log, a.ruleURL.Use, a.ruleURL.Copy = a.log.Logger, a.server.UseRules, ruleCopy{a.server.Config}
	a.ruleURL.Init()
}

// ruleSource returns the state of the rules-file or the rules-url.
func (a *App) ruleSource() ruleset.Source {
	if a.server.Config().RulesURL != "" {
		return a.ruleURL.State()
	}
	return a.rules.State()
}

// ruleCopy is the copy of the rules of rules-url.
type ruleCopy struct{ config func() *config.Config }

func (c ruleCopy) path() string { return filepath.Join(c.config().Dir, "rules-url.yaml") }

// Read implements [ruleurl.Copy].
func (c ruleCopy) Read() (text []byte, err error) {
	return files.ReadRegular(c.path(), ruleurl.MaxBytes+1024) // the heading has the URL
}

// Write implements [ruleurl.Copy].
func (c ruleCopy) Write(text []byte) error { return files.Replace(c.path(), text, 0o600) }

// watchFiles looks at the rules-file and the certificates until ctx ends. It has a goroutine of its own, so
// that nothing else waits for a file system that does not answer.
func (a *App) watchFiles(ctx context.Context) {
	for tick := time.Tick(rulefile.Interval); ; {
		select {
		case <-ctx.Done():
			return
		case <-tick:
			a.log.guard("a look at the rules-file panicked", a.rules.Poll)
			a.log.guard("a look at the certificates panicked", a.pollCertificates)
		}
	}
}

// maxRuleBytes bounds the size of a rules-file.
const maxRuleBytes = 4 << 20

// readRules reads a rules-file. Its error has no path.
func readRules(path string) ([]byte, error) {
	text, err := files.ReadRegular(path, maxRuleBytes)
	if err != nil {
		return nil, files.Advised(files.Cause(err))
	}
	return text, nil
}
