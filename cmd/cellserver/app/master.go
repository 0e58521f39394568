package app

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"net"

	"cellserver/cmd/cellserver/follow"
	"cellserver/internal/config"
)

// initFollowing makes what follows another server.
func (a *App) initFollowing() {
	o := follow.Options{
		Store: a.store, Server: a.server, Disk: a.disk.Manager, Clock: a.clock, Log: a.log.Logger,
		Dial: func(ctx context.Context, address string) (net.Conn, error) {
			return dialMaster(ctx, a.server.Config(), address)
		},
	}
	if a.member != nil {
		o.Cluster = a.member
	}
	a.following.Init(o)
}

// dialMaster connects to the server to follow.
func dialMaster(ctx context.Context, cfg *config.Config, address string) (net.Conn, error) {
	secure, err := clientTLS(cfg, cfg.Replication.TLS)
	if err != nil {
		return nil, err
	}
	if secure != nil && cfg.TLSCACertFile != "" {
		// As in Redis, the authority says whom to trust, whatever the name.
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
