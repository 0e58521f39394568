package certtest

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// New makes a certificate with this common name. It writes name.crt and name.key into a directory.
func New(t testing.TB, dir, name string) tls.Certificate {
	t.Helper()
	year := func(y int) time.Time { return time.Date(y, 1, 1, 0, 0, 0, 0, time.UTC) }
	return Between(t, dir, name, year(1999), year(2100))
}

// Between is New for a certificate that begins and ends at these times. Without uses it is for servers and for
// clients.
func Between(t testing.TB, dir, name string, begin, end time.Time, uses ...x509.ExtKeyUsage) tls.Certificate {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(t, err)
	serial, err := rand.Int(rand.Reader, big.NewInt(1<<62))
	require.NoError(t, err)
	if uses == nil {
		uses = []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth}
	}
	template := &x509.Certificate{
		SerialNumber: serial, Subject: pkix.Name{CommonName: name},
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
		NotBefore:   begin,
		NotAfter:    end,
		IsCA:        true, BasicConstraintsValid: true,
		ExtKeyUsage: uses,
		KeyUsage:    x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	require.NoError(t, err)
	secret, err := x509.MarshalPKCS8PrivateKey(key)
	require.NoError(t, err)
	public := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})
	private := pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: secret})
	require.NoError(t, os.WriteFile(filepath.Join(dir, name+".crt"), public, 0o600))
	require.NoError(t, os.WriteFile(filepath.Join(dir, name+".key"), private, 0o600))
	pair, err := tls.X509KeyPair(public, private)
	require.NoError(t, err)
	return pair
}
