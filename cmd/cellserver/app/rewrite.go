package app

import (
	"errors"
	"io/fs"
	"os"

	"cellserver/cmd/cellserver/files"
	"cellserver/internal/config"
	"cellserver/internal/config/configload"
)

// rewriter implements CONFIG REWRITE for a configuration file with an absolute path. It is nil without a
// file.
func rewriter(file string) func(*config.Config) error {
	if file == "" {
		return nil
	}
	return func(cfg *config.Config) error {
		mode := fs.FileMode(0o644)
		old, err := os.ReadFile(file)
		if errors.Is(err, fs.ErrNotExist) {
			return files.Replace(file, configload.Rewrite(cfg, nil), mode)
		}
		if err != nil {
			return err
		}
		if info, err := os.Stat(file); err == nil {
			mode = info.Mode().Perm()
		}
		return files.Replace(file, configload.Rewrite(cfg, old), mode)
	}
}
