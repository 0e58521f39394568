package app

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"os"
	"strings"

	"cellserver/internal/config"
	"cellserver/internal/config/configload"
)

// levelVerbose lies between slog's debug and info, as Redis's verbose does between its
// debug and notice.
const levelVerbose slog.Level = -2

// levels are the least levels that each loglevel lets through.
var levels = map[config.LogLevel]slog.Level{
	config.LogDebug: slog.LevelDebug, config.LogVerbose: levelVerbose,
	config.LogNotice: slog.LevelInfo, config.LogWarning: slog.LevelWarn,
}

// openLog makes the log, unless there is one.
func (a *App) openLog(cfg *config.Config) error {
	a.level.Set(levels[cfg.LogLevel])
	if a.log != nil {
		return nil
	}
	var out io.Writer = os.Stdout
	if cfg.LogFile != "" {
		file := logFile(inDir(cfg, cfg.LogFile))
		if _, err := file.Write(nil); err != nil {
			return fmt.Errorf("cannot write the logfile %s: %w", cfg.LogFile, reason(err))
		}
		out = file
	}
	a.log = slog.New(slog.NewTextHandler(out, &slog.HandlerOptions{Level: &a.level, ReplaceAttr: redisLevels}))
	return nil
}

// redisLevels writes levels in the words of loglevel.
func redisLevels(groups []string, attr slog.Attr) slog.Attr {
	level, ok := attr.Value.Any().(slog.Level)
	if attr.Key != slog.LevelKey || !ok || len(groups) > 0 {
		return attr
	}
	for name, least := range levels {
		if level == least {
			return slog.String(slog.LevelKey, string(name))
		}
	}
	return attr
}

// verbose logs what only a talkative log shows.
func (a *App) verbose(text string, args ...any) {
	a.log.Log(context.Background(), levelVerbose, text, args...)
}

// logFile is a file that is opened for each message: whoever rotates logs moves it away
// without telling.
type logFile string

// Write appends p.
func (f logFile) Write(p []byte) (int, error) {
	file, err := os.OpenFile(string(f), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return 0, err
	}
	n, err := file.Write(p)
	if failed := file.Close(); err == nil {
		err = failed
	}
	return n, err
}

// logWarnings logs what the configuration's reader had to say. The many directives of a
// redis.conf that merely do not apply share a line for each file.
func (a *App) logWarnings(warnings []configload.Warning) {
	ignored := map[string][]string{}
	for _, w := range warnings {
		if w.Ignored != "" {
			ignored[w.File] = append(ignored[w.File], w.Ignored)
		}
	}
	for _, w := range warnings {
		names := ignored[w.File]
		switch {
		case w.Ignored == "" || len(names) == 1:
			a.log.Warn(w.String())
		case w.Ignored == names[0]:
			a.log.Warn(fmt.Sprintf("%s: %d directives of redis do not apply here and are ignored: %s", w.File, len(names), strings.Join(names, " ")))
		}
	}
}
