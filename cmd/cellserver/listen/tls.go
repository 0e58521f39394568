package listen

import (
	"crypto/sha256"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"log/slog"
	"os"
	"sync/atomic"
	"time"

	"cellserver/cluster/peer"
	"cellserver/cmd/cellserver/files"
	"cellserver/internal/config"
)

// Certificates are the TLS configuration of all listeners. CONFIG SET, SIGHUP and a change of the files make
// the server read them again, and new connections get renewed certificates. There are no locks: the pointer
// is replaced as a whole.
type Certificates struct {
	Log   *slog.Logger
	files atomic.Pointer[TLSFiles] // nil before the first load with TLS
	look  atomic.Int64             // when WarnOfEnd looks again, in Unix nanoseconds
}

// TLSFiles are what one load has read.
type TLSFiles struct {
	config  *tls.Config
	version string // versionOf the files
}

// Current returns the TLS configuration for a new connection.
func (c *Certificates) Current() *tls.Config {
	if read := c.files.Load(); read != nil {
		return read.config
	}
	return nil
}

// Use brings what was read into force; nil changes nothing.
func (c *Certificates) Use(read *TLSFiles) {
	if read != nil {
		c.files.Store(read)
	}
}

// Load reads the files that a configuration names, and brings them into force.
func (c *Certificates) Load(cfg *config.Config) error {
	read, err := readTLS(cfg)
	if err == nil {
		c.Use(read)
	}
	return err
}

// readTLS reads the files that a configuration names; nil if nothing uses them. After an error the result
// has only the version.
func readTLS(cfg *config.Config) (*TLSFiles, error) {
	if cfg.UsesTLS() == "" {
		return nil, nil
	}
	read := &TLSFiles{version: versionOf(cfg)}
	pair, err := KeyPair(cfg)
	if err != nil {
		return read, err
	}
	next := &tls.Config{MinVersion: tls.VersionTLS12, Certificates: []tls.Certificate{pair}}
	switch cfg.TLSAuthClients {
	case config.TLSAuthYes:
		next.ClientAuth = tls.RequireAndVerifyClientCert
	case config.TLSAuthOptional:
		next.ClientAuth = tls.VerifyClientCertIfGiven
	}
	if cfg.TLSCACertFile != "" {
		if next.ClientCAs, err = Authorities(cfg); err != nil {
			return read, err
		}
	}
	read.config = next
	return read, nil
}

// versionOf says which files a configuration has, by their names and contents, and what it asks of clients.
// Two files of one moment may have the same time and size.
func versionOf(cfg *config.Config) (version string) {
	version = string(cfg.TLSAuthClients) + "\n"
	for _, name := range []string{cfg.TLSCertFile, cfg.TLSKeyFile, cfg.TLSCACertFile} {
		if content, err := os.ReadFile(files.PathOf(cfg, name)); err == nil {
			version += fmt.Sprintf("%x", sha256.Sum256(content))
		}
		version += name + "\n"
	}
	return version
}

// Changed reports whether a load would find other files, or another tls-auth-clients, than the last one.
func (c *Certificates) Changed(cfg *config.Config) bool {
	read := c.files.Load()
	return cfg.UsesTLS() != "" && read != nil && read.version != versionOf(cfg)
}

// endsSoon is how long before its end a certificate is worth a warning. One of a short life is renewed later.
const endsSoon = 14 * 24 * time.Hour

// WarnOfEnd looks each hour whether the certificate of the server has ended, or ends soon, or that of its issuer in
// tls-cert-file. It says so once a day. Other issuers outlive what they issued, or clients have another way.
func (c *Certificates) WarnOfEnd(cfg *config.Config, now time.Time) {
	wait := time.Duration(c.look.Load() - now.UnixNano()) // longer than a day if the clock was set back
	if cfg.TLSCertFile == "" || 0 < wait && wait <= 24*time.Hour {
		return
	}
	c.look.Store(now.Add(time.Hour).UnixNano())
	pair, err := KeyPair(cfg)
	if err != nil { // a load says that
		return
	}
	for _, der := range pair.Certificate[:min(2, len(pair.Certificate))] {
		one, err := x509.ParseCertificate(der)
		if err != nil { // of an issuer, which clients do not need then
			continue
		}
		if left := one.NotAfter.Sub(now); left < min(endsSoon, one.NotAfter.Sub(one.NotBefore)/4) {
			c.look.Store(now.Add(24 * time.Hour).UnixNano())
			c.Log.Warn("the certificate ends, and others refuse it from then on: renew it", "tls-cert-file", cfg.TLSCertFile,
				"subject", one.Subject.String(), "end", one.NotAfter.UTC().Format(time.RFC3339), "ended", left < 0)
		}
	}
}

// Peers returns how nodes of a cluster prove themselves to each other. With tls-cluster both show their
// certificates.
func (c *Certificates) Peers(cfg *config.Config) *peer.Security {
	s := &peer.Security{Secret: []byte(cfg.Cluster.Secret)}
	if cfg.Cluster.TLS {
		s.ServerTLS = func() *tls.Config {
			own := c.Current().Clone()
			own.ClientAuth = tls.RequireAndVerifyClientCert
			return own
		}
		s.ClientTLS = func() *tls.Config {
			own := c.Current()
			return &tls.Config{MinVersion: own.MinVersion, Certificates: own.Certificates, RootCAs: own.ClientCAs}
		}
	}
	return s
}

// maxPEMBytes bounds the size of a PEM file.
const maxPEMBytes = 16 << 20

// readPEM reads a PEM file.
func readPEM(path string) ([]byte, error) {
	text, err := files.ReadRegular(path, maxPEMBytes)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, files.Advised(files.Cause(err)))
	}
	return text, nil
}

// KeyPair reads the certificate of a configuration and its private key.
func KeyPair(cfg *config.Config) (pair tls.Certificate, err error) {
	certificate, err := readPEM(files.PathOf(cfg, cfg.TLSCertFile))
	var key []byte
	if err == nil {
		key, err = readPEM(files.PathOf(cfg, cfg.TLSKeyFile))
	}
	if err == nil {
		pair, err = tls.X509KeyPair(certificate, key)
	}
	if err != nil {
		return pair, fmt.Errorf("tls-cert-file and tls-key-file: %w", err)
	}
	return pair, nil
}

// Authorities reads the certificates of tls-ca-cert-file.
func Authorities(cfg *config.Config) (*x509.CertPool, error) {
	path, pool := files.PathOf(cfg, cfg.TLSCACertFile), x509.NewCertPool()
	text, err := readPEM(path)
	if err == nil && !pool.AppendCertsFromPEM(text) {
		err = fmt.Errorf("%s holds no certificate", path)
	}
	if err != nil {
		return nil, fmt.Errorf("tls-ca-cert-file: %w", err)
	}
	return pool, nil
}

// Prepare reads the files of a new configuration, if they are not those of the last load. It returns what Use
// brings into force as the last step: a refused change lets nobody in. A broken file refuses the change if the change is about TLS. Otherwise the
// Current certificates stay in use.
//
// Renewed files are no part of a change, and come into force at once. The first files do so because a
// listener may open with them. No listener has TLS before.
func (c *Certificates) Prepare(old, cfg *config.Config) (*TLSFiles, error) {
	differs := tlsDiffers(old, cfg)
	if !differs && !c.Changed(cfg) {
		return nil, nil
	}
	next, err := readTLS(cfg)
	switch {
	case err != nil && differs:
		return nil, err
	case err != nil:
		c.Log.Warn("the certificates could not be read again, and the current ones stay in use: "+
			"correct the files", "error", err)
		next.config = c.Current()
	}
	if !differs || old.UsesTLS() == "" {
		c.Use(next)
	}
	return next, nil
}

// tlsDiffers reports whether a change of the configuration can change the certificates.
func tlsDiffers(a, b *config.Config) bool {
	return a.UsesTLS() != b.UsesTLS() || a.TLSCertFile != b.TLSCertFile || a.TLSKeyFile != b.TLSKeyFile ||
		a.TLSCACertFile != b.TLSCACertFile || a.TLSAuthClients != b.TLSAuthClients || a.Dir != b.Dir
}
