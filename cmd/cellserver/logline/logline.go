package logline

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"net"
	"sync/atomic"
	"time"

	"cellserver/internal/config"
)

// Verbose lies between debug and info, as Redis's verbose lies between debug and notice.
const Verbose slog.Level = -2

// levels has the lowest level that each loglevel logs.
var levels = map[config.LogLevel]slog.Level{
	config.LogDebug: slog.LevelDebug, config.LogVerbose: Verbose,
	config.LogNotice: slog.LevelInfo, config.LogWarning: slog.LevelWarn,
}

// Lowest returns the lowest level that a loglevel logs.
func Lowest(level config.LogLevel) slog.Level { return levels[level] }

// New returns the handler of a log. It writes JSON while asJSON is true, and else text.
func New(out io.Writer, level slog.Leveler, asJSON *atomic.Bool) slog.Handler {
	text := slog.NewTextHandler(out, &slog.HandlerOptions{Level: level, ReplaceAttr: Levels})
	return &formatted{text, NewJSON(out, level), asJSON}
}

// formatted writes each line as text or as JSON.
type formatted struct {
	slog.Handler // text
	json         slog.Handler
	asJSON       *atomic.Bool
}

// Handle implements [slog.Handler].
func (f *formatted) Handle(ctx context.Context, r slog.Record) error {
	if f.asJSON.Load() {
		return f.json.Handle(ctx, r)
	}
	return f.Handler.Handle(ctx, r)
}

// WithAttrs implements [slog.Handler].
func (f *formatted) WithAttrs(attrs []slog.Attr) slog.Handler {
	return &formatted{f.Handler.WithAttrs(attrs), f.json.WithAttrs(attrs), f.asJSON}
}

// WithGroup implements [slog.Handler].
func (f *formatted) WithGroup(name string) slog.Handler {
	return &formatted{f.Handler.WithGroup(name), f.json.WithGroup(name), f.asJSON}
}

// NewJSON returns the handler of log-format json: each line is one object.
func NewJSON(out io.Writer, level slog.Leveler) slog.Handler {
	return slog.NewJSONHandler(out, &slog.HandlerOptions{Level: level, ReplaceAttr: jsonValues})
}

// jsonValues writes levels as loglevel has them, and what has a text as this text: durations and addresses.
func jsonValues(groups []string, attr slog.Attr) slog.Attr {
	attr = Levels(groups, attr)
	switch v := attr.Value.Any().(type) {
	case time.Time, error: // slog knows them
	case fmt.Stringer:
		return slog.String(attr.Key, v.String())
	case []net.Addr:
		texts := make([]string, len(v))
		for i, addr := range v {
			texts[i] = addr.String()
		}
		return slog.Any(attr.Key, texts)
	}
	return attr
}

// Levels writes the names of levels as loglevel has them.
func Levels(groups []string, attr slog.Attr) slog.Attr {
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
