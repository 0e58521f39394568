package app

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"

	"cellserver/cmd/cellserver/files"
	"cellserver/internal/config"
)

// secretName is the name of the file in dir that has the secret of a server alone.
const secretName = "http-key-secret"

// keySecret returns the secret of the hashes that the HTTP port puts into keys in the place of credentials.
// The nodes of a cluster derive it from cluster-secret, so that a new leader makes the same keys. A server
// alone keeps it in dir, so that a restart makes the same keys. No command reads it.
func keySecret(cfg *config.Config, log *slog.Logger) ([]byte, error) {
	if len(cfg.Cluster.Nodes) > 0 {
		if cfg.Cluster.Secret == "" {
			return []byte{}, nil
		}
		mac := hmac.New(sha256.New, []byte(cfg.Cluster.Secret))
		mac.Write([]byte(secretName))
		return asText(mac.Sum(nil)), nil
	}
	name := filepath.Join(cfg.Dir, secretName)
	switch info, err := os.Stat(name); {
	case errors.Is(err, fs.ErrNotExist):
		warnOfSecret(cfg, log, name)
		return newSecret(cfg, name)
	case err != nil:
		return nil, err
	case !info.Mode().IsRegular() || info.Size() > 1024:
		return nil, errKeySecret(name)
	}
	text, err := os.ReadFile(name)
	if text = bytes.TrimSpace(text); err == nil && len(text) < 16 {
		err = errKeySecret(name)
	}
	return text, err
}

func errKeySecret(name string) error {
	return fmt.Errorf("%s is not a file of 16 to 1024 bytes: remove it for a new secret", name)
}

// warnOfSecret says that a sidecar makes a secret of its own. Then the hub counts a client once for each sidecar.
func warnOfSecret(cfg *config.Config, log *slog.Logger, name string) {
	if len(cfg.Upstream.Nodes) > 0 {
		log.Warn("this sidecar makes a new http-key-secret: a client with a key of header: or cookie: has the "+
			"whole limit at each sidecar, until the hub and all its sidecars have the same file", "file", name)
	}
}

// newSecret makes a secret and writes it. If nothing else is kept on disk, the keys end with the process,
// and the secret may do so, too.
func newSecret(cfg *config.Config, name string) ([]byte, error) {
	text := asText(random(32))
	err := files.Replace(name, append(text, '\n'), 0o600)
	if err != nil && (cfg.AppendOnly || len(cfg.Save) > 0) {
		return nil, fmt.Errorf("%s: %w: make room in dir, or let the user of the server write there", name, files.Cause(err))
	}
	return text, nil
}

func asText(b []byte) []byte { return []byte(hex.EncodeToString(b)) }
