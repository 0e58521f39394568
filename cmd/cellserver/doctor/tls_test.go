package doctor

import (
	"crypto/tls"
	"crypto/x509"
	"io"
	"net"
	"os"
	"path/filepath"
	"testing"
	"time"

	"cellserver/internal/certtest"

	"github.com/stretchr/testify/require"
)

// certify makes a certificate, and returns the names of its files.
func certify(t *testing.T) (certificate, key string, pair tls.Certificate) {
	dir := t.TempDir()
	pair = certtest.New(t, dir, "a")
	return filepath.Join(dir, "a.crt"), filepath.Join(dir, "a.key"), pair
}

// fakeTLS serves one connection with fixed replies, as fake does. It asks for a certificate of an authority, if there is one.
func fakeTLS(t *testing.T, pair tls.Certificate, authority string, replies ...string) (address string) {
	cfg := &tls.Config{Certificates: []tls.Certificate{pair}}
	if authority != "" {
		text, err := os.ReadFile(authority)
		require.NoError(t, err)
		cfg.ClientAuth, cfg.ClientCAs = tls.RequireAndVerifyClientCert, x509.NewCertPool()
		require.True(t, cfg.ClientCAs.AppendCertsFromPEM(text))
	}
	l, err := tls.Listen("tcp", "127.0.0.1:0", cfg)
	require.NoError(t, err)
	return serve(t, l, replies)
}

// TestTLS: the doctor trusts the authority that it is given, and shows its own certificate.
func TestTLS(t *testing.T) {
	certificate, key, pair := certify(t)
	stranger, strangersKey, _ := certify(t)
	examine := func(authority string, over TLS) (string, error) {
		return Examine(fakeTLS(t, pair, authority, "+PONG\r\n", bulk(well), "*0\r\n"), Login{}, &over)
	}
	for _, over := range []TLS{{CA: certificate}, {Insecure: true}} {
		page, err := examine("", over)
		require.NoError(t, err)
		require.Contains(t, page, "nothing: the server is well")
	}
	for _, over := range []TLS{{}, {CA: stranger}} {
		_, err := examine("", over)
		require.ErrorContains(t, err, "give its authority with --cacert")
	}
	page, err := examine(certificate, TLS{CA: certificate, Cert: certificate, Key: key})
	require.NoError(t, err)
	require.Contains(t, page, "nothing: the server is well")
	for _, over := range []TLS{{CA: certificate}, {CA: certificate, Cert: stranger, Key: strangersKey}} {
		_, err := examine(certificate, over)
		require.ErrorContains(t, err, "with --cert and --key")
	}
}

// TestWrongTLS: each wrong file and each wrong port has its sentence.
func TestWrongTLS(t *testing.T) {
	certificate, key, pair := certify(t)
	for want, over := range map[string]TLS{
		"--cacert: open /no/such/file":   {CA: "/no/such/file"},
		"has no certificate in the form": {CA: key},
		"--cert and --key: ":             {Cert: key, Key: certificate},
	} {
		_, err := Examine("127.0.0.1:1", Login{}, &over)
		require.ErrorContains(t, err, want)
	}
	_, err := Examine(fakeTLS(t, pair, "", "+PONG\r\n"), Login{}, nil)
	require.ErrorContains(t, err, "--tls")
}

// TestPlainPort: a server without TLS answers with something else, or waits for the end of a line.
func TestPlainPort(t *testing.T) {
	for reply, timeout := range map[string]time.Duration{"-ERR Protocol error\r\n": Timeout, "": time.Millisecond} {
		ours, theirs := net.Pipe()
		go func() {
			_, _ = theirs.Read(make([]byte, 1<<16))
			_, _ = io.WriteString(theirs, reply)
		}()
		_, err := greet("a:1", ours, &tls.Config{InsecureSkipVerify: true}, timeout)
		require.ErrorContains(t, err, "or leave --tls out")
		require.NoError(t, theirs.Close())
	}
}
