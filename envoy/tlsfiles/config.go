package tlsfiles

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"slices"
)

// Server makes the configuration of a server. With a CA it asks clients for a certificate.
func Server(files Files) (*tls.Config, error) {
	s, err := open(files)
	if err != nil {
		return nil, err
	}
	if s.cert == nil {
		return nil, errors.New("a TLS server needs a certificate and a key")
	}
	return &tls.Config{
		MinVersion: tls.VersionTLS12,
		NextProtos: []string{"h2"},
		GetConfigForClient: func(*tls.ClientHelloInfo) (*tls.Config, error) {
			cert, pool := s.content()
			c := &tls.Config{
				MinVersion: tls.VersionTLS12, NextProtos: []string{"h2"},
				Certificates: []tls.Certificate{*cert},
			}
			if files.CA != "" {
				c.ClientCAs, c.ClientAuth = pool, tls.RequireAndVerifyClientCert
				c.VerifyConnection = func(state tls.ConnectionState) error {
					return checkName(state.PeerCertificates[0], files.Name)
				}
			}
			return c, nil
		},
	}, nil
}

// Client makes the configuration of a client. Without a name in the files the library checks that of the
// address, with the CA of the start: a handshake does not know an address that is no name.
func Client(files Files) (*tls.Config, error) {
	s, err := open(files)
	if err != nil {
		return nil, err
	}
	c := &tls.Config{
		MinVersion: tls.VersionTLS12, RootCAs: s.pool,
		GetClientCertificate: func(*tls.CertificateRequestInfo) (*tls.Certificate, error) {
			if cert, _ := s.content(); cert != nil {
				return cert, nil
			}
			return &tls.Certificate{}, nil
		},
	}
	if files.Name != "" || files.AnyName {
		c.InsecureSkipVerify = true // VerifyConnection verifies, with the present content of the CA file
		c.VerifyConnection = func(state tls.ConnectionState) error {
			_, pool := s.content()
			return verify(state, pool, files)
		}
	}
	return c, nil
}

// verify verifies the certificate of a server.
func verify(state tls.ConnectionState, pool *x509.CertPool, files Files) error {
	between := x509.NewCertPool()
	for _, cert := range state.PeerCertificates[1:] {
		between.AddCert(cert)
	}
	leaf := state.PeerCertificates[0]
	if _, err := leaf.Verify(x509.VerifyOptions{Roots: pool, Intermediates: between}); err != nil {
		return err
	}
	if files.AnyName {
		return nil
	}
	return checkName(leaf, files.Name)
}

// checkName checks that a certificate has a name: a DNS name, an address or a URI.
func checkName(cert *x509.Certificate, name string) error {
	if name == "" || cert.VerifyHostname(name) == nil {
		return nil
	}
	uris := make([]string, len(cert.URIs))
	for i, uri := range cert.URIs {
		uris[i] = uri.String()
	}
	if slices.Contains(uris, name) || slices.Contains(cert.EmailAddresses, name) {
		return nil
	}
	return fmt.Errorf("the certificate does not have the name %s, but %v %v", name, cert.DNSNames, uris)
}
