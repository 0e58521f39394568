package app

import (
	"crypto/sha256"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"os"
	"sync/atomic"

	"cellserver/cluster/peer"
	"cellserver/internal/config"
)

// certificates are the TLS configuration of all listeners. CONFIG SET, SIGHUP and a change of the files make
// the server read them again, and new connections get renewed certificates. There are no locks: the pointer
// is replaced as a whole.
type certificates struct {
	log   *logger
	files atomic.Pointer[tlsFiles] // nil before the first load with TLS
}

// tlsFiles are what one load has read.
type tlsFiles struct {
	config  *tls.Config
	version string // versionOf the files
}

// current returns the TLS configuration for a new connection.
func (c *certificates) current() *tls.Config {
	if files := c.files.Load(); files != nil {
		return files.config
	}
	return nil
}

// use brings files into force; nil changes nothing.
func (c *certificates) use(files *tlsFiles) {
	if files != nil {
		c.files.Store(files)
	}
}

// load reads the files that a configuration names, and brings them into force.
func (c *certificates) load(cfg *config.Config) error {
	files, err := readTLS(cfg)
	if err == nil {
		c.use(files)
	}
	return err
}

// readTLS reads the files that a configuration names; nil if nothing uses them. After an error the result
// has only the version.
func readTLS(cfg *config.Config) (*tlsFiles, error) {
	if cfg.UsesTLS() == "" {
		return nil, nil
	}
	files := &tlsFiles{version: versionOf(cfg)}
	pair, err := keyPair(pathOf(cfg, cfg.TLSCertFile), pathOf(cfg, cfg.TLSKeyFile))
	if err != nil {
		return files, fmt.Errorf("tls-cert-file and tls-key-file: %w", err)
	}
	next := &tls.Config{MinVersion: tls.VersionTLS12, Certificates: []tls.Certificate{pair}}
	switch cfg.TLSAuthClients {
	case config.TLSAuthYes:
		next.ClientAuth = tls.RequireAndVerifyClientCert
	case config.TLSAuthOptional:
		next.ClientAuth = tls.VerifyClientCertIfGiven
	}
	if cfg.TLSCACertFile != "" {
		if next.ClientCAs, err = authorities(pathOf(cfg, cfg.TLSCACertFile)); err != nil {
			return files, fmt.Errorf("tls-ca-cert-file: %w", err)
		}
	}
	files.config = next
	return files, nil
}

// versionOf says which files a configuration has, by their names and contents, and what it asks of clients.
// Two files of one moment may have the same time and size.
func versionOf(cfg *config.Config) (version string) {
	version = string(cfg.TLSAuthClients) + "\n"
	for _, name := range []string{cfg.TLSCertFile, cfg.TLSKeyFile, cfg.TLSCACertFile} {
		if content, err := os.ReadFile(pathOf(cfg, name)); err == nil {
			version += fmt.Sprintf("%x", sha256.Sum256(content))
		}
		version += name + "\n"
	}
	return version
}

// changed reports whether a load would find other files, or another tls-auth-clients, than the last one.
func (c *certificates) changed(cfg *config.Config) bool {
	files := c.files.Load()
	return cfg.UsesTLS() != "" && files != nil && files.version != versionOf(cfg)
}

// peers returns how nodes of a cluster prove themselves to each other. With tls-cluster both show their
// certificates.
func (c *certificates) peers(cfg *config.Config) *peer.Security {
	s := &peer.Security{Secret: []byte(cfg.Cluster.Secret)}
	if cfg.Cluster.TLS {
		s.ServerTLS = func() *tls.Config {
			own := c.current().Clone()
			own.ClientAuth = tls.RequireAndVerifyClientCert
			return own
		}
		s.ClientTLS = func() *tls.Config {
			own := c.current()
			return &tls.Config{MinVersion: own.MinVersion, Certificates: own.Certificates, RootCAs: own.ClientCAs}
		}
	}
	return s
}

// maxPEMBytes bounds the size of a PEM file.
const maxPEMBytes = 16 << 20

// readPEM reads a PEM file.
func readPEM(path string) ([]byte, error) {
	text, _, err := readRegular(path, maxPEMBytes)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, advised(cause(err)))
	}
	return text, nil
}

// keyPair reads the PEM files of a certificate and of its private key.
func keyPair(certificate, key string) (tls.Certificate, error) {
	first, err := readPEM(certificate)
	if err != nil {
		return tls.Certificate{}, err
	}
	second, err := readPEM(key)
	if err != nil {
		return tls.Certificate{}, err
	}
	return tls.X509KeyPair(first, second)
}

// authorities reads a PEM file of certificates.
func authorities(path string) (*x509.CertPool, error) {
	text, err := readPEM(path)
	if err != nil {
		return nil, err
	}
	pool := x509.NewCertPool()
	if !pool.AppendCertsFromPEM(text) {
		return nil, fmt.Errorf("%s holds no certificate", path)
	}
	return pool, nil
}

// prepare reads the files of a new configuration, if they are not those of the last load. It returns what use
// brings into force as the last step: a refused change lets nobody in. A broken file refuses the change if the change is about TLS. Otherwise the
// current certificates stay in use.
//
// Renewed files are no part of a change, and come into force at once. The first files do so because a
// listener may open with them. No listener has TLS before.
func (c *certificates) prepare(old, cfg *config.Config) (*tlsFiles, error) {
	differs := tlsDiffers(old, cfg)
	if !differs && !c.changed(cfg) {
		return nil, nil
	}
	next, err := readTLS(cfg)
	switch {
	case err != nil && differs:
		return nil, err
	case err != nil:
		c.log.Warn("the certificates could not be read again, and the current ones stay in use: "+
			"correct the files", "error", err)
		next.config = c.current()
	}
	if !differs || old.UsesTLS() == "" {
		c.use(next)
	}
	return next, nil
}

// tlsDiffers reports whether a change of the configuration can change the certificates.
func tlsDiffers(a, b *config.Config) bool {
	return a.UsesTLS() != b.UsesTLS() || a.TLSCertFile != b.TLSCertFile || a.TLSKeyFile != b.TLSKeyFile ||
		a.TLSCACertFile != b.TLSCACertFile || a.TLSAuthClients != b.TLSAuthClients || a.Dir != b.Dir
}
