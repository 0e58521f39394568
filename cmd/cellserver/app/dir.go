package app

import (
	"fmt"
	"os"
	"path/filepath"

	"cellserver/config"
)

// settleDir makes the configuration's directory absolute. The process stays where it is:
// what a directive names is found with [inDir], so that servers share a process.
func settleDir(cfg *config.Config) error {
	dir, err := filepath.Abs(cfg.Dir)
	if err != nil {
		return fmt.Errorf("dir %s: %w", cfg.Dir, err)
	}
	info, err := os.Stat(dir)
	if err != nil {
		return fmt.Errorf("dir %s: %w", cfg.Dir, reason(err))
	}
	if !info.IsDir() {
		return fmt.Errorf("dir %s: not a directory", cfg.Dir)
	}
	cfg.Dir = dir
	return nil
}

// inDir is the path of a file that a directive names, which is meant from dir on.
func inDir(cfg *config.Config, name string) string {
	if name == "" || filepath.IsAbs(name) {
		return name
	}
	return filepath.Join(cfg.Dir, name)
}
