package app

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"net"

	"cellserver/internal/config"
)

// dialMaster connects to the server to follow. It reads the files of TLS each time, so that renewed ones
// count.
func dialMaster(ctx context.Context, cfg *config.Config, address string) (net.Conn, error) {
	if !cfg.Replication.TLS {
		return dialServer(ctx, address, nil)
	}
	secure, err := clientTLS(cfg)
	if err != nil {
		return nil, err
	}
	if cfg.TLSCACertFile != "" { // as in Redis: the authority says whom to trust, whatever the name
		secure.InsecureSkipVerify = true
		secure.VerifyConnection = func(s tls.ConnectionState) error {
			return chained(s.PeerCertificates, secure.RootCAs)
		}
	}
	return dialServer(ctx, address, secure)
}

// chained returns an error if no authority vouches for the first certificate.
func chained(shown []*x509.Certificate, roots *x509.CertPool) error {
	if len(shown) == 0 {
		return errors.New("the master shows no certificate")
	}
	o := x509.VerifyOptions{Roots: roots, Intermediates: x509.NewCertPool()}
	for _, c := range shown[1:] {
		o.Intermediates.AddCert(c)
	}
	_, err := shown[0].Verify(o)
	return err
}
