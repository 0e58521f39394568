package peer

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/asn1"
	"io"
	"math/big"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// An authority makes certificates.
type authority struct {
	cert *x509.Certificate
	key  *ecdsa.PrivateKey
	pool *x509.CertPool
	file [][]byte // what follows a certificate in its file
}

func newAuthority(t *testing.T) *authority {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(t, err)
	template := &x509.Certificate{SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "authority"}, IsCA: true, BasicConstraintsValid: true,
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour), KeyUsage: x509.KeyUsageCertSign}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	require.NoError(t, err)
	cert, err := x509.ParseCertificate(der)
	require.NoError(t, err)
	pool := x509.NewCertPool()
	pool.AddCert(cert)
	return &authority{cert, key, pool, nil}
}

// issuer returns an authority that an authority has certified.
func (a *authority) issuer(t *testing.T, uses ...x509.ExtKeyUsage) *authority {
	t.Helper()
	issuer := newAuthority(t)
	template := *issuer.cert
	template.Subject.CommonName, template.AuthorityKeyId, template.ExtKeyUsage = "issuer", nil, uses
	der, err := x509.CreateCertificate(rand.Reader, &template, a.cert, &issuer.key.PublicKey, a.key)
	require.NoError(t, err)
	issuer.cert, err = x509.ParseCertificate(der)
	require.NoError(t, err)
	issuer.file = [][]byte{der}
	return issuer
}

// certify makes a certificate of a node that is called localhost.
func (a *authority) certify(t *testing.T, name string, uses ...x509.ExtKeyUsage) tls.Certificate {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(t, err)
	template := &x509.Certificate{SerialNumber: big.NewInt(2), DNSNames: []string{name}, ExtKeyUsage: uses,
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour)}
	if slices.Contains(uses, foreign) {
		template.ExtKeyUsage, template.UnknownExtKeyUsage = nil, []asn1.ObjectIdentifier{{1, 2, 3}}
	}
	der, err := x509.CreateCertificate(rand.Reader, template, a.cert, &key.PublicKey, a.key)
	require.NoError(t, err)
	leaf, err := x509.ParseCertificate(der)
	require.NoError(t, err)
	return tls.Certificate{Certificate: append([][]byte{der}, a.file...), PrivateKey: key, Leaf: leaf}
}

const foreign x509.ExtKeyUsage = -1 // a use that is in no standard

var bothUses = []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth}

// secured makes a node that shows a certificate and trusts an authority.
func secured(shows tls.Certificate, trusts *authority) *Security {
	return &Security{
		ServerTLS: func() *tls.Config {
			return &tls.Config{Certificates: []tls.Certificate{shows}, ClientCAs: trusts.pool, ClientAuth: tls.RequireAndVerifyClientCert}
		},
		ClientTLS: func() *tls.Config {
			return &tls.Config{Certificates: []tls.Certificate{shows}, RootCAs: trusts.pool}
		},
	}
}

func TestCertificates(t *testing.T) {
	ours, theirs := newAuthority(t), newAuthority(t)
	node := secured(ours.certify(t, "localhost", bothUses...), ours)
	require.NoError(t, node.Check())
	require.NoError(t, node.MayListen(""))
	o := shake(t, node, node, purpose{Kind: kindCall}, admitAll)
	o.requireOpen(t)
	require.IsType(t, &tls.Conn{}, o.dialed)
	for name, stranger := range map[string]*Security{
		"of another authority":  secured(theirs.certify(t, "localhost", bothUses...), ours),
		"for servers only":      secured(ours.certify(t, "localhost", x509.ExtKeyUsageServerAuth), ours),
		"without a certificate": {},
	} {
		o := shake(t, stranger, node, purpose{Kind: kindCall},
			func(purpose) Refusal { t.Error("admitted"); return accepted })
		require.Error(t, o.dialErr, name)
		require.Error(t, o.acceptErr, name)
	}
	for name, imposter := range map[string]*Security{
		"of another authority":  secured(theirs.certify(t, "localhost", bothUses...), ours),
		"of another host":       secured(ours.certify(t, "elsewhere", bothUses...), ours),
		"for clients only":      secured(ours.certify(t, "localhost", x509.ExtKeyUsageClientAuth), ours),
		"without a certificate": {},
	} {
		o := shake(t, node, imposter, purpose{Kind: kindCall}, admitAll)
		require.Error(t, o.dialErr, name)
	}
}

// The names in the certificate of a stranger are part of an error, which goes into the log and into the check of the cluster. They begin
// no line, control no terminal, and are short.
func TestAStrangerDoesNotWriteInOurName(t *testing.T) {
	ours, theirs := newAuthority(t), newAuthority(t)
	node := secured(ours.certify(t, "localhost"), ours)
	for _, name := range []string{"a\n  run CLUSTER FORGET\x1b[31m", strings.Repeat("a", 200_000)} {
		o := shake(t, node, secured(theirs.certify(t, name), theirs), purpose{Kind: kindCall}, admitAll)
		require.ErrorAs(t, o.dialErr, new(x509.HostnameError))
		require.Regexp(t, `^TLS: "tls: failed to verify certificate: x509: certificate is valid for a[ -~]{1,400}"$`, o.dialErr.Error())
	}
}

// With a secret too, a certificate of the same authority is not enough.
func TestCertificatesAndSecret(t *testing.T) {
	ours := newAuthority(t)
	node, client := secured(ours.certify(t, "localhost", bothUses...), ours), secured(ours.certify(t, "localhost", bothUses...), ours)
	node.Secret = secret
	shake(t, node, node, purpose{Kind: kindRaft}, admitAll).requireOpen(t)
	require.ErrorIs(t, shake(t, client, node, purpose{Kind: kindRaft}, admitAll).dialErr, wantsSecret)
	client.Secret = other
	require.ErrorIs(t, shake(t, client, node, purpose{Kind: kindRaft}, admitAll).dialErr, wrongProof)
}

// Somebody with a certificate cannot pass the proofs of two nodes on, because each TLS connection has its own.
func TestProofsAreBoundToTLS(t *testing.T) {
	ours := newAuthority(t)
	node := secured(ours.certify(t, "localhost", bothUses...), ours)
	node.Secret = secret
	a, b := sockets(t)
	c, d := sockets(t)
	t.Cleanup(func() { _, _, _, _ = a.Close(), b.Close(), c.Close(), d.Close() })
	go func() {
		near, far := tls.Server(b, node.ServerTLS()), tls.Client(c, &tls.Config{Certificates: node.ClientTLS().Certificates, RootCAs: ours.pool, ServerName: "localhost"})
		go func() { _, _ = io.Copy(near, far); _ = b.Close() }()
		_, _ = io.Copy(far, near)
		_ = c.Close()
	}()
	o := shakeOver(t, a, d, node, node, purpose{Kind: kindRaft}, admitAll)
	require.ErrorIs(t, o.dialErr, wrongProof)
	require.Error(t, o.acceptErr)
}

func TestCheckCertificates(t *testing.T) {
	ours := newAuthority(t)
	good := secured(ours.certify(t, "localhost"), ours)
	change := func(f func(server, client *tls.Config)) *Security {
		server, client := good.ServerTLS(), good.ClientTLS()
		f(server, client)
		return &Security{ServerTLS: func() *tls.Config { return server }, ClientTLS: func() *tls.Config { return client }}
	}
	const authority = "tls-cluster needs tls-ca-cert-file, so that nodes can verify each other"
	for want, bad := range map[string][]*Security{
		"tls-cluster needs a certificate for both directions": {{ServerTLS: good.ServerTLS}, {ClientTLS: good.ClientTLS}},
		authority: {
			change(func(server, _ *tls.Config) { server.ClientAuth = tls.VerifyClientCertIfGiven }),
			change(func(server, _ *tls.Config) { server.ClientCAs = nil }),
			change(func(_, client *tls.Config) { client.RootCAs = nil }),
			change(func(_, client *tls.Config) { client.InsecureSkipVerify = true }),
		},
		"tls-cluster needs tls-cert-file and tls-key-file, so that nodes can prove themselves": {
			change(func(_, client *tls.Config) { client.Certificates = nil }),
		},
		"tls-cluster needs a tls-cert-file for servers and for clients: its extended key usage, or that of an issuer, lacks serverAuth or clientAuth": {
			secured(ours.certify(t, "localhost", x509.ExtKeyUsageServerAuth), ours),
			secured(ours.certify(t, "localhost", x509.ExtKeyUsageClientAuth), ours),
			secured(ours.certify(t, "localhost", foreign), ours),
			secured(ours.issuer(t, x509.ExtKeyUsageServerAuth).certify(t, "localhost", bothUses...), ours),
		},
	} {
		for _, s := range bad {
			require.EqualError(t, s.Check(), want)
		}
	}
	require.NoError(t, secured(ours.issuer(t, bothUses...).certify(t, "localhost", bothUses...), ours).Check())
	for _, uses := range [][]x509.ExtKeyUsage{nil, bothUses, {x509.ExtKeyUsageAny}} {
		require.NoError(t, secured(ours.certify(t, "localhost", uses...), ours).Check())
	}
	// A configuration that becomes wrong later opens nothing.
	late := change(func(server, client *tls.Config) { server.ClientAuth, client.RootCAs = tls.NoClientCert, nil })
	o := shake(t, late, late, purpose{Kind: kindRaft}, admitAll)
	require.EqualError(t, o.acceptErr, authority)
	require.EqualError(t, o.dialErr, authority)
}
