package app

import (
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"os"
	"sync/atomic"

	"cellserver/internal/config"
)

// certificates are what TLS connections begin with. They are read anew with each CONFIG
// SET, so `CONFIG SET tls-cert-file PATH` brings in what has been renewed at that path.
type certificates struct{ config atomic.Pointer[tls.Config] }

func (c *certificates) current() *tls.Config { return c.config.Load() }

// load reads the files that a configuration names, if it asks for TLS.
func (c *certificates) load(cfg *config.Config) error {
	if cfg.TLSPort == 0 {
		return nil
	}
	pair, err := tls.LoadX509KeyPair(inDir(cfg, cfg.TLSCertFile), inDir(cfg, cfg.TLSKeyFile))
	if err != nil {
		return fmt.Errorf("tls-cert-file and tls-key-file: %w", err)
	}
	next := &tls.Config{MinVersion: tls.VersionTLS12, Certificates: []tls.Certificate{pair}}
	switch cfg.TLSAuthClients {
	case config.TLSAuthYes:
		next.ClientAuth = tls.RequireAndVerifyClientCert
	case config.TLSAuthOptional:
		next.ClientAuth = tls.VerifyClientCertIfGiven
	}
	if cfg.TLSCACertFile != "" {
		if next.ClientCAs, err = authorities(inDir(cfg, cfg.TLSCACertFile)); err != nil {
			return fmt.Errorf("tls-ca-cert-file: %w", err)
		}
	}
	c.config.Store(next)
	return nil
}

// authorities reads a PEM file of certificates.
func authorities(path string) (*x509.CertPool, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	pool := x509.NewCertPool()
	if !pool.AppendCertsFromPEM(text) {
		return nil, fmt.Errorf("%s holds no certificate", path)
	}
	return pool, nil
}

// follow loads what a new configuration names. Files that went bad by themselves refuse
// no change of something else.
func (c *certificates) follow(a *App, old, cfg *config.Config) error {
	err := c.load(cfg)
	if err == nil || tlsDiffers(old, cfg) {
		return err
	}
	a.log.Warn("the certificates could not be read again; those in use stay", "error", err)
	return nil
}

func tlsDiffers(a, b *config.Config) bool {
	return a.TLSPort != b.TLSPort || a.TLSCertFile != b.TLSCertFile || a.TLSKeyFile != b.TLSKeyFile ||
		a.TLSCACertFile != b.TLSCACertFile || a.TLSAuthClients != b.TLSAuthClients || a.Dir != b.Dir
}
