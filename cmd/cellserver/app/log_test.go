package app

import (
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"cellserver/internal/config/configload"

	"github.com/stretchr/testify/require"
)

// openFileLog opens the log of a configuration in a file.
func openFileLog(t *testing.T, directives ...string) (log *logger, path string) {
	path = filepath.Join(t.TempDir(), "log")
	cfg, _, err := configload.Load(append(directives, "--logfile", path), nil, nil)
	require.NoError(t, err)
	log = &logger{}
	require.NoError(t, log.open(nil, cfg))
	return log, path
}

func TestLogLevelsAreThoseOfRedis(t *testing.T) {
	for i, level := range []string{"debug", "verbose", "notice", "warning"} {
		log, path := openFileLog(t, "--loglevel", level)
		log.Debug("one")
		log.verbose("two")
		log.Info("three")
		log.Warn("four")
		text, err := os.ReadFile(path)
		require.NoError(t, err)
		require.Equal(t, 4-i, strings.Count(string(text), "\n"), "%s", text)
		require.Contains(t, string(text), "level=warning msg=four\n")
		require.Equal(t, i <= 1, strings.Contains(string(text), "level=verbose msg=two\n"))
	}
}

// After a rename, as logrotate does it, the log continues in a new file.
func TestLogFileMayBeRenamed(t *testing.T) {
	log, path := openFileLog(t)
	log.Info("one")
	require.NoError(t, os.Rename(path, path+".1"))
	log.Info("two")
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	require.NotContains(t, string(text), "one")
	require.Contains(t, string(text), "two")
}

func TestLogFileThatCannotBeWritten(t *testing.T) {
	cfg, _, err := configload.Load([]string{"--logfile", filepath.Join(t.TempDir(), "none", "log")}, nil, nil)
	require.NoError(t, err)
	_, err = New(Options{Config: cfg})
	require.EqualError(t, err, "cannot write the logfile "+cfg.LogFile+": no such file or directory: choose another logfile")
}

func TestLogLevelFollowsConfigSet(t *testing.T) {
	in := start(t)
	require.Equal(t, slog.LevelInfo, in.App.log.level.Level())
	ok(t, in.dial(t), "CONFIG", "SET", "loglevel", "warning")
	require.Equal(t, slog.LevelWarn, in.App.log.level.Level())
}

// Ignored directives share one line. Every other warning has its own line.
func TestWarningsShareALine(t *testing.T) {
	text := "daemonize yes\nlist-compress-depth 0\nactiverehashing yes\nhll-sparse-max-bytes 3000\nloadmodule /x/libredis_cell.so\n"
	_, warnings, err := configload.Load([]string{"redis.conf"}, nil, func(string) ([]byte, error) { return []byte(text), nil })
	require.NoError(t, err)
	log, path := openFileLog(t)
	log.warnings(warnings)
	out, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Equal(t, 3, strings.Count(string(out), "\n"), "%s", out)
	require.Contains(t, string(out), "redis.conf: 3 directives of redis do not apply here and are ignored: list-compress-depth activerehashing hll-sparse-max-bytes")
	require.Contains(t, string(out), "redis.conf:1: ")
	require.Contains(t, string(out), "CL.THROTTLE is built in")
}
