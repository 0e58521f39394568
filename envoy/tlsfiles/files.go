package tlsfiles

import (
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"os"
	"sync"
)

// Files are the files of one side, and the name that it asks of the other.
type Files struct {
	Cert, Key string // of this side, may be empty for a client
	CA        string // signs the other side, "" are the system's
	Name      string // which the certificate of the other side must have, "" is that of the address
	AnyName   bool   // do not check the name
}

// A store keeps the last good content of the files.
type store struct {
	files Files

	mu   sync.Mutex // guards the content below
	cert *tls.Certificate
	pool *x509.CertPool
}

// open reads the files for the first time.
func open(files Files) (*store, error) {
	s := &store{files: files}
	return s, s.read()
}

// read reads the files. An error changes nothing.
func (s *store) read() error {
	var cert *tls.Certificate
	if s.files.Cert != "" || s.files.Key != "" {
		pair, err := tls.LoadX509KeyPair(s.files.Cert, s.files.Key)
		if err != nil {
			return fmt.Errorf("certificate %s with key %s: %w", s.files.Cert, s.files.Key, err)
		}
		cert = &pair
	}
	var pool *x509.CertPool
	if s.files.CA != "" {
		content, err := os.ReadFile(s.files.CA)
		if err != nil {
			return err
		}
		pool = x509.NewCertPool()
		if !pool.AppendCertsFromPEM(content) {
			return fmt.Errorf("%s has no certificate in PEM form", s.files.CA)
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.cert, s.pool = cert, pool
	return nil
}

// content reads the files again, and returns the last good content.
func (s *store) content() (*tls.Certificate, *x509.CertPool) {
	_ = s.read() // the last good content holds
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.cert, s.pool
}
