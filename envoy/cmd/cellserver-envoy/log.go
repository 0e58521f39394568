package main

import (
	"io"
	"log/slog"
	"strings"

	"cellserver/envoy/settings"
)

// levels are the levels of the log, by the names of the variable.
var levels = map[string]slog.Level{
	"panic": slog.LevelError + 8, "fatal": slog.LevelError + 4, "error": slog.LevelError,
	"warn":    slog.LevelWarn,
	"warning": slog.LevelWarn, "info": slog.LevelInfo, "debug": slog.LevelDebug, "trace": slog.LevelDebug - 4,
}

// newLog makes the log. In JSON its fields have the names that users of the service know.
func newLog(s settings.Log, to io.Writer) *slog.Logger {
	isJSON := s.Format == "json"
	options := &slog.HandlerOptions{
		Level: levels[s.Level],
		ReplaceAttr: func(groups []string, a slog.Attr) slog.Attr {
			switch {
			case len(groups) > 0:
			case a.Key == slog.LevelKey:
				a.Value = slog.StringValue(levelName(a.Value))
			case isJSON && a.Key == slog.TimeKey:
				a.Key = "@timestamp"
			case isJSON && a.Key == slog.MessageKey:
				a.Key = "@message"
			}
			return a
		},
	}
	if isJSON {
		return slog.New(slog.NewJSONHandler(to, options))
	}
	return slog.New(slog.NewTextHandler(to, options))
}

// levelName names a level as users of the service know it.
func levelName(v slog.Value) string {
	if name := strings.ToLower(v.String()); name != "warn" {
		return name
	}
	return "warning"
}
