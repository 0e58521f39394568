package files

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"cellserver/internal/config"
)

// ResolveDir makes dir absolute, and creates the default one if the configuration needs it. The working
// directory of the process stays the same, because several servers can run in one process: see [PathOf].
func ResolveDir(cfg *config.Config) error {
	missing, err := FindDir(cfg)
	if missing && needsDir(cfg) {
		if err := os.Mkdir(cfg.Dir, 0o755); err != nil {
			return fmt.Errorf("dir %s: %w: choose another dir with --dir", cfg.Dir, Cause(err))
		}
	}
	return err
}

// FindDir is ResolveDir without the default directory, which may be missing.
func FindDir(cfg *config.Config) (missing bool, err error) {
	dir, err := filepath.Abs(cfg.Dir)
	if err != nil {
		return false, fmt.Errorf("dir %s: %w", cfg.Dir, err)
	}
	info, err := os.Stat(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist) && cfg.Dir == config.DefaultDir:
		missing = true
	case err != nil:
		return false, fmt.Errorf("dir %s: %w: create it, or choose another dir", cfg.Dir, Cause(err))
	case !info.IsDir():
		return false, fmt.Errorf("dir %s: not a directory: choose another dir", cfg.Dir)
	}
	cfg.Dir = dir
	return missing, nil
}

// needsDir reports whether a file of the server belongs into dir. A server without persistence does not
// create it.
func needsDir(cfg *config.Config) bool {
	return cfg.AppendOnly || cfg.RulesURL != "" || len(cfg.Cluster.Nodes) > 0 || len(cfg.Save) > 0
}

// PathOf returns the path of a file that a directive names. A relative path begins in the directory where the
// server was started. If the file is not there but in dir, it is the one in dir, as in Redis.
func PathOf(cfg *config.Config, name string) string {
	if name == "" || filepath.IsAbs(name) {
		return name
	}
	path, err := filepath.Abs(name)
	if err == nil {
		_, err = os.Lstat(path)
	}
	if inDir := filepath.Join(cfg.Dir, name); err != nil {
		if _, err := os.Lstat(inDir); err == nil || path == "" {
			return inDir
		}
	}
	return path
}

// Cause returns the operating system's error in err. A user needs no more than this. If there is no such
// error, it returns err.
func Cause(err error) error {
	if no, is := errors.AsType[syscall.Errno](err); is {
		return no
	}
	return err
}

// Advised adds the next step to an error of a file that a directive names.
func Advised(err error) error {
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("%w: check the path; "+
			"a relative path begins in the directory where the server was started", err)
	case errors.Is(err, fs.ErrPermission):
		return fmt.Errorf("%w: let the user of the server read it", err)
	}
	return err
}

// errNotRegular refuses a path that is a directory, a pipe, a socket or a device.
var errNotRegular = errors.New("not a regular file: choose a regular file")

// ReadRegular reads a regular file of at most this number of bytes. It never waits for the other end of a
// pipe: it opens the path without blocking, and then checks the type of the file.
func ReadRegular(path string, most int64) (text []byte, err error) {
	file, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	info, err := file.Stat()
	switch {
	case err != nil:
		return nil, err
	case !info.Mode().IsRegular():
		return nil, errNotRegular
	}
	text, err = io.ReadAll(io.LimitReader(file, most+1))
	if err == nil && int64(len(text)) > most {
		err = fmt.Errorf("more than %d bytes", most)
	}
	return text, err
}
