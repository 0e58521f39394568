package app

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"os"
	"runtime/debug"
	"strings"
	"sync/atomic"

	"cellserver/cmd/cellserver/files"
	"cellserver/cmd/cellserver/logline"
	"cellserver/internal/config"
	"cellserver/internal/config/configload"
)

// logger is the log of a server, with the levels of Redis.
type logger struct {
	*slog.Logger
	level slog.LevelVar // loglevel; without effect on the log of Options
	json  atomic.Bool   // log-format, with the same exception
}

// open uses the given log. If that is nil, it opens the log of the configuration.
func (l *logger) open(given *slog.Logger, cfg *config.Config) error {
	l.configure(cfg)
	if given != nil {
		l.Logger = given
		return nil
	}
	var out io.Writer = os.Stdout
	if cfg.LogFile != "" {
		file := logline.File(files.PathOf(cfg, cfg.LogFile))
		if _, err := file.Write(nil); err != nil {
			return fmt.Errorf("cannot write the logfile %s: %w: choose another logfile",
				cfg.LogFile, files.Cause(err))
		}
		out = file
	}
	l.Logger = slog.New(logline.New(out, &l.level, &l.json))
	return nil
}

// configure takes loglevel and log-format from a configuration.
func (l *logger) configure(cfg *config.Config) {
	l.level.Set(logline.Lowest(cfg.LogLevel))
	l.json.Store(cfg.LogFormat == config.LogJSON)
}

// verbose logs at Redis's level verbose.
func (l *logger) verbose(text string, args ...any) {
	l.Log(context.Background(), logline.Verbose, text, args...)
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
