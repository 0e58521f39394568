package app

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"os"
	"runtime/debug"
	"strings"

	"cellserver/internal/config"
	"cellserver/internal/config/configload"
)

// logger is the log of a server, with the levels of Redis.
type logger struct {
	*slog.Logger
	level slog.LevelVar // loglevel; without effect on the log of Options
}

// levelVerbose lies between debug and info, as Redis's verbose lies between debug and notice.
const levelVerbose slog.Level = -2

// levels has the lowest level that each loglevel logs.
var levels = map[config.LogLevel]slog.Level{
	config.LogDebug: slog.LevelDebug, config.LogVerbose: levelVerbose,
	config.LogNotice: slog.LevelInfo, config.LogWarning: slog.LevelWarn,
}

// open uses the given log. If that is nil, it opens the log of the configuration.
func (l *logger) open(given *slog.Logger, cfg *config.Config) error {
	l.setLevel(cfg)
	if given != nil {
		l.Logger = given
		return nil
	}
	var out io.Writer = os.Stdout
	if cfg.LogFile != "" {
		file := logFile(pathOf(cfg, cfg.LogFile))
		if _, err := file.Write(nil); err != nil {
			return fmt.Errorf("cannot write the logfile %s: %w: choose another logfile",
				cfg.LogFile, cause(err))
		}
		out = file
	}
	l.Logger = slog.New(slog.NewTextHandler(out, &slog.HandlerOptions{Level: &l.level, ReplaceAttr: redisLevels}))
	return nil
}

// setLevel takes loglevel from a configuration.
func (l *logger) setLevel(cfg *config.Config) { l.level.Set(levels[cfg.LogLevel]) }

// redisLevels writes the names of levels as loglevel has them.
func redisLevels(groups []string, attr slog.Attr) slog.Attr {
	level, ok := attr.Value.Any().(slog.Level)
	if attr.Key != slog.LevelKey || !ok || len(groups) > 0 {
		return attr
	}
	for name, lowest := range levels {
		if level == lowest {
			return slog.String(slog.LevelKey, string(name))
		}
	}
	return attr
}

// verbose logs at Redis's level verbose.
func (l *logger) verbose(text string, args ...any) {
	l.Log(context.Background(), levelVerbose, text, args...)
}

// guard runs a background job. It logs a panic, so that the server continues.
func (l *logger) guard(panicked string, job func()) {
	defer func() {
		if reason := recover(); reason != nil {
			l.Error(panicked, "reason", reason, "stack", string(debug.Stack()))
		}
	}()
	job()
}

// logFile is the path of a file. Each write opens the file, so that log rotation can rename it without a
// signal.
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

// warnings logs the warnings of the configuration. The ignored directives of one file share a line, because
// a redis.conf has many.
func (l *logger) warnings(warnings []configload.Warning) {
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
			l.Warn(w.String())
		case w.Ignored == names[0]:
			l.Warn(fmt.Sprintf("%s: %d directives of redis do not apply here and are ignored: %s",
				w.File, len(names), strings.Join(names, " ")))
		}
	}
}
