package peer

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"time"
)

// Security says how nodes prove themselves to each other. The zero value proves nothing: then nodes listen
// on loopback addresses only.
type Security struct {
	Secret  []byte        // cluster-secret; empty: no secret
	Timeout time.Duration // for one handshake; 0 is handshakeTimeout

	// ServerTLS and ClientTLS return the configuration for the next connection. Either both are nil, or
	// neither.
	ServerTLS, ClientTLS func() *tls.Config
}

// handshakeTimeout is the time that a handshake may take.
const handshakeTimeout = 5 * time.Second

// leastSecret is the number of bytes that a secret has at least.
const leastSecret = 16

// Check says what is wrong with the secret and the certificates.
func (s *Security) Check() error {
	switch {
	case len(s.Secret) > 0 && len(s.Secret) < leastSecret:
		return fmt.Errorf("cluster-secret has %d bytes, fewer than %d: use 32 random characters",
			len(s.Secret), leastSecret)
	case (s.ServerTLS == nil) != (s.ClientTLS == nil):
		return errors.New("tls-cluster needs a certificate for both directions")
	case s.ServerTLS != nil:
		return errors.Join(checkServer(s.ServerTLS()), checkClient(s.ClientTLS()), checkUses(s.ClientTLS()))
	}
	return nil
}

// checkUses requires that the certificate, and each issuer in its file, is for servers and for clients. Without
// one of these uses the node reaches no other node, or no other node reaches it.
func checkUses(c *tls.Config) error {
	if c == nil || c.RootCAs == nil || len(c.Certificates) == 0 || c.Certificates[0].Leaf == nil {
		return nil
	}
	own, issuers, roots := &c.Certificates[0], x509.NewCertPool(), c.RootCAs.Clone()
	top := own.Leaf
	for _, der := range own.Certificate[1:] {
		if one, err := x509.ParseCertificate(der); err == nil {
			issuers.AddCert(one)
			top = one
		}
	}
	roots.AddCert(top)
	for _, use := range []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth} {
		_, err := own.Leaf.Verify(x509.VerifyOptions{
			Roots: roots, Intermediates: issuers, KeyUsages: []x509.ExtKeyUsage{use},
		})
		wrong, is := errors.AsType[x509.CertificateInvalidError](err)
		if is && wrong.Reason == x509.IncompatibleUsage {
			return errors.New("tls-cluster needs a tls-cert-file for servers and for clients: " +
				"its extended key usage, or that of an issuer, lacks serverAuth or clientAuth")
		}
	}
	return nil
}

// checkServer requires that a stranger without a certificate is refused.
func checkServer(c *tls.Config) error {
	if c == nil || c.ClientAuth != tls.RequireAndVerifyClientCert || c.ClientCAs == nil {
		return errors.New("tls-cluster needs tls-ca-cert-file, so that nodes can verify each other")
	}
	return nil
}

// checkClient requires that the dialer shows a certificate, and verifies the certificate of the other node.
func checkClient(c *tls.Config) error {
	switch {
	case c == nil || c.RootCAs == nil || c.InsecureSkipVerify:
		return errors.New("tls-cluster needs tls-ca-cert-file, so that nodes can verify each other")
	case len(c.Certificates) == 0 && c.GetClientCertificate == nil:
		return errors.New("tls-cluster needs tls-cert-file and tls-key-file, so that nodes can prove " +
			"themselves")
	}
	return nil
}

// Proves reports whether the other end of a connection proves itself at all.
func (s *Security) Proves() bool { return len(s.Secret) > 0 || s.ServerTLS != nil }

// MayListen returns an error if the peer port may not listen on a host. Without a secret and without
// certificates it listens on loopback addresses only. The host is an IP address, or "localhost".
func (s *Security) MayListen(host string) error {
	if s.Proves() || host == "localhost" {
		return nil
	}
	if ip, err := netip.ParseAddr(host); err == nil && ip.Unmap().IsLoopback() {
		return nil
	}
	if host == "" {
		host = "every address"
	}
	return fmt.Errorf("the peer port may not listen on %s: without cluster-secret and tls-cluster it "+
		"listens on loopback addresses only. "+
		"Set cluster-secret to the same 32 random characters on every node", host)
}

// mayServe is MayListen for a listener that is open already. Listeners without network addresses are for
// tests.
func (s *Security) mayServe(addr net.Addr) error {
	if tcp, ok := addr.(*net.TCPAddr); ok {
		return s.MayListen(tcp.AddrPort().Addr().WithZone("").String())
	}
	return nil
}

func (s *Security) timeout() time.Duration {
	if s.Timeout > 0 {
		return s.Timeout
	}
	return handshakeTimeout
}

// within runs a step that reads from a connection or writes to it. It closes the connection if the step
// takes longer than allowed, and then returns an error. The step must end once the connection is closed.
func within(conn net.Conn, allowed time.Duration, step func() error) error {
	late := time.AfterFunc(allowed, func() { _ = conn.Close() })
	err := step()
	if !late.Stop() {
		return fmt.Errorf("it did not answer within %v", allowed)
	}
	return err
}
