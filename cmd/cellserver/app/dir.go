package app

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"cellserver/internal/config"
)

// settleDir makes the configuration's directory absolute. The process stays where it is:
// what a directive names is found with [inDir], so that servers share a process.
func settleDir(cfg *config.Config) error {
	dir, err := filepath.Abs(cfg.Dir)
	if err != nil {
		return fmt.Errorf("dir %s: %w", cfg.Dir, err)
	}
	info, err := os.Stat(dir)
	if errors.Is(err, fs.ErrNotExist) && cfg.Dir == config.DefaultDir {
		cfg.Dir = dir
		if needsDir(cfg) {
			return os.Mkdir(dir, 0o755)
		}
		return nil
	}
	if err != nil {
		return fmt.Errorf("dir %s: %w", cfg.Dir, reason(err))
	}
	if !info.IsDir() {
		return fmt.Errorf("dir %s: not a directory", cfg.Dir)
	}
	cfg.Dir = dir
	return nil
}

// needsDir reports whether something is to be kept in the directory. What is kept in memory
// only leaves no trace.
func needsDir(cfg *config.Config) bool {
	return cfg.AppendOnly || len(cfg.Save) > 0 || inDir(cfg, cfg.LogFile) != cfg.LogFile || inDir(cfg, cfg.UnixSocket) != cfg.UnixSocket
}

// inDir is the path of a file that a directive names, which is meant from dir on.
func inDir(cfg *config.Config, name string) string {
	if name == "" || filepath.IsAbs(name) {
		return name
	}
	return filepath.Join(cfg.Dir, name)
}
