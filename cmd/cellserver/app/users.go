package app

import (
	"fmt"
	"io/fs"
	"os"

	"cellserver/acl"
	"cellserver/cmd/cellserver/files"
	"cellserver/commands"
	"cellserver/internal/config"
)

// userFile is the aclfile, by its path. It implements [commands.UserFile].
type userFile string

// newUserFile returns the aclfile of a configuration, nil without one.
func newUserFile(cfg *config.Config) commands.UserFile {
	if cfg.ACLFile == "" {
		return nil
	}
	return userFile(files.PathOf(cfg, cfg.ACLFile))
}

// Name implements [commands.UserFile].
func (f userFile) Name() string { return string(f) }

// Read implements [commands.UserFile].
func (f userFile) Read() ([]byte, error) {
	text, err := files.ReadRegular(string(f), acl.MaxFileBytes)
	if err != nil {
		return nil, fmt.Errorf("opening file '%s': %w", f, files.Cause(err))
	}
	return text, nil
}

// Write implements [commands.UserFile]. A new file is for the user of the process alone.
func (f userFile) Write(text []byte) error {
	mode := fs.FileMode(0o600)
	if info, err := os.Stat(string(f)); err == nil {
		mode = info.Mode().Perm()
	}
	return files.Replace(string(f), text, mode)
}

// warnOfHTTPUser says that nobody may ask over HTTP. A proxy that fails open lets all requests pass then.
func warnOfHTTPUser(log *logger, users *acl.Users, cfg *config.Config) {
	if cfg.HTTP.Ports() > 0 && users.Acting(cfg.HTTP.User).Limits().Deleted() {
		log.Warn("all requests over HTTP get 503, because the user of http-user does not exist or is off: "+
			"set it with ACL SETUSER, or correct http-user", "http-user", cfg.HTTP.User)
	}
}
