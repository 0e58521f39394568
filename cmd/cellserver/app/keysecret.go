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
		return newSecret(cfg, log, name)
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

// newSecret makes a secret and writes it. If nothing else is kept on disk, the keys end with the process,
// and the secret may do so, too. The keys of a sidecar stay in the hub, so it says what its secret does.
func newSecret(cfg *config.Config, log *slog.Logger, name string) ([]byte, error) {
	text, sidecar := asText(random(32)), len(cfg.Upstream.Nodes) > 0
	if sidecar {
		_ = os.Mkdir(cfg.Dir, 0o755) // the default one may be missing; an error is that of the file
	}
	err := files.Replace(name, append(text, '\n'), 0o600)
	switch {
	case err != nil && (cfg.AppendOnly || len(cfg.Save) > 0):
		return nil, fmt.Errorf("%s: %w: make room in dir, or let the user of the server write there", name, files.Cause(err))
	case err != nil && sidecar:
		log.Warn("this sidecar cannot keep its http-key-secret: after each restart a client with a key of "+
			"header: or cookie: has the whole limit again", "file", name, "error", files.Cause(err))
	case sidecar:
		log.Warn("this sidecar makes a new http-key-secret: a client with a key of header: or cookie: has the "+
			"whole limit at each sidecar, until the hub and all its sidecars have the same file", "file", name)
	}
	return text, nil
}

func asText(b []byte) []byte { return []byte(hex.EncodeToString(b)) }
