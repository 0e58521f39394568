package app

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"cellserver/internal/config"
	"cellserver/internal/config/configload"
)

// rewriter is CONFIG REWRITE for the configuration file of an absolute path; nil
// without one.
func rewriter(file string) func(*config.Config) error {
	if file == "" {
		return nil
	}
	return func(cfg *config.Config) error {
		mode := fs.FileMode(0o644)
		old, err := os.ReadFile(file)
		if errors.Is(err, fs.ErrNotExist) {
			return replaceFile(file, configload.Rewrite(cfg, nil), mode)
		}
		if err != nil {
			return err
		}
		if info, err := os.Stat(file); err == nil {
			mode = info.Mode().Perm()
		}
		return replaceFile(file, configload.Rewrite(cfg, old), mode)
	}
}

// replaceFile gives a file new contents, or leaves it as it was: whoever reads it, even
// after a crash, finds the old ones or the new ones whole.
func replaceFile(file string, contents []byte, mode fs.FileMode) error {
	if target, err := filepath.EvalSymlinks(file); err == nil {
		file = target
	}
	dir := filepath.Dir(file)
	temp, err := os.CreateTemp(dir, filepath.Base(file)+".*")
	if err != nil {
		return err
	}
	defer os.Remove(temp.Name())
	_, err = temp.Write(contents)
	err = errors.Join(err, temp.Chmod(mode), temp.Sync(), temp.Close())
	if err != nil {
		return err
	}
	if err := os.Rename(temp.Name(), file); err != nil {
		return err
	}
	return syncDir(dir)
}

// syncDir makes a renaming last.
func syncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}
