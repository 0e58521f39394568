package cluster

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// Five nodes that prove themselves by certificates lose two of them, the leader first, and go on. Their ports talk to nobody
// without a certificate.
func TestFiveNodesWithCertificates(t *testing.T) {
	cert, key := certify(t)
	p := start(t, 5, "--tls-cluster", "yes", "--tls-cert-file", cert, "--tls-key-file", key, "--tls-ca-cert-file", cert)
	_, seed := random(t)
	l := begin(p, seed)
	p.refusesStrangers()
	p.kill(p.awaitLeader())
	p.kill(p.follower(0))
	done := l.done.Load()
	p.eventually("three of five nodes do not go on", func() bool { return l.done.Load() > done+100 })
	p.heal()
	done = l.done.Load()
	p.eventually("the clients do not go on", func() bool { return l.done.Load() > done+100 })
	l.end(t)
}

// refusesStrangers requires that the port for nodes ends connections without a certificate, with TLS and without.
func (p *processes) refusesStrangers() {
	p.t.Helper()
	addr := net.JoinHostPort(p.nodes[0].host, strconv.Itoa(p.nodes[0].port+10000))
	plain, err := net.DialTimeout("tcp", addr, answer)
	require.NoError(p.t, err)
	p.refuses(plain)
	// #nosec G402 -- the test is the stranger
	encrypted, err := tls.Dial("tcp", addr, &tls.Config{InsecureSkipVerify: true})
	if err == nil { // with TLS 1.3 the client learns of the refusal later
		p.refuses(encrypted)
	}
}

// refuses requires that a connection ends without an answer.
func (p *processes) refuses(nc net.Conn) {
	p.t.Helper()
	defer func() { _ = nc.Close() }()
	require.NoError(p.t, nc.SetDeadline(time.Now().Add(patience)))
	_, _ = nc.Write([]byte("R\x00\x00 this is no message of a node\r\n"))
	_, err := nc.Read(make([]byte, 1))
	require.Error(p.t, err)
	require.False(p.t, os.IsTimeout(err), "the port keeps a connection that proves nothing")
}

// certify writes a certificate for the loopback, which is also its authority, and its key.
func certify(t *testing.T) (cert, key string) {
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(t, err)
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, NotBefore: time.Now().Add(-time.Hour),
		NotAfter: time.Now().Add(time.Hour), IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign,
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth},
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &private.PublicKey, private)
	require.NoError(t, err)
	secret, err := x509.MarshalPKCS8PrivateKey(private)
	require.NoError(t, err)
	write := func(name, kind string, bytes []byte) string {
		path := filepath.Join(t.TempDir(), name)
		require.NoError(t, os.WriteFile(path, pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: bytes}), 0o600))
		return path
	}
	return write("node.crt", "CERTIFICATE", der), write("node.key", "PRIVATE KEY", secret)
}
