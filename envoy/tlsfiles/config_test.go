package tlsfiles

import (
	"crypto/tls"
	"net"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"cellserver/internal/certtest"
)

// shake makes a handshake of both sides, and returns the error of the client, or else that of the server.
func shake(t *testing.T, server, client *tls.Config) error {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer listener.Close()
	b, err := net.Dial("tcp", listener.Addr().String())
	require.NoError(t, err)
	defer b.Close()
	a, err := listener.Accept()
	require.NoError(t, err)
	defer a.Close()
	client = client.Clone()
	client.ServerName = "127.0.0.1"
	failed := make(chan error, 1)
	go func() {
		s := tls.Server(a, server)
		err := s.Handshake()
		if err != nil {
			a.Close()
		}
		failed <- err
	}()
	c := tls.Client(b, client)
	if err := c.Handshake(); err != nil {
		return err
	}
	go func() { _, _ = c.Read(make([]byte, 1)) }() // the alert of the server
	return <-failed
}

func TestCertificatesAreCheckedAndReadAgain(t *testing.T) {
	folder := t.TempDir()
	certtest.New(t, folder, "server")
	certtest.New(t, folder, "client")
	certtest.New(t, folder, "other")
	path := func(name string) string { return filepath.Join(folder, name) }
	server := func(f Files) *tls.Config {
		f.Cert, f.Key = path("server.crt"), path("server.key")
		c, err := Server(f)
		require.NoError(t, err)
		return c
	}
	client := func(f Files) *tls.Config {
		c, err := Client(f)
		require.NoError(t, err)
		return c
	}
	mine := Files{Cert: path("client.crt"), Key: path("client.key"), CA: path("server.crt"), Name: "127.0.0.1"}
	theirs := Files{CA: path("client.crt")}
	require.NoError(t, shake(t, server(theirs), client(mine)))
	require.NoError(t, shake(t, server(Files{}), client(Files{CA: path("server.crt")})))

	require.ErrorContains(t, shake(t, server(theirs), client(Files{CA: path("other.crt")})), "unknown authority")
	require.Error(t, shake(t, server(theirs), client(Files{CA: path("server.crt")})), "the client has no certificate")
	require.ErrorContains(t, shake(t, server(Files{}), client(Files{CA: path("server.crt"), Name: "example.org"})),
		"does not have the name example.org")
	require.NoError(t, shake(t, server(Files{}), client(Files{CA: path("server.crt"), Name: "example.org", AnyName: true})))
	require.ErrorContains(t, shake(t, server(Files{CA: path("client.crt"), Name: "spiffe://x"}), client(mine)), "spiffe://x")

	old, oldClient := server(theirs), client(mine)
	certtest.New(t, folder, "server")
	certtest.New(t, folder, "client")
	require.NoError(t, shake(t, old, oldClient), "both sides read the renewed files")
	require.NoError(t, os.WriteFile(path("server.key"), []byte("half"), 0o600))
	require.NoError(t, shake(t, old, oldClient), "the last good content holds")
}

func TestFilesThatDoNotFitAreNamed(t *testing.T) {
	_, err := Server(Files{Cert: "none.crt", Key: "none.key"})
	require.ErrorContains(t, err, "certificate none.crt with key none.key: ")
	_, err = Server(Files{})
	require.EqualError(t, err, "a TLS server needs a certificate and a key")
	empty := filepath.Join(t.TempDir(), "empty")
	require.NoError(t, os.WriteFile(empty, nil, 0o600))
	_, err = Client(Files{CA: empty})
	require.EqualError(t, err, empty+" has no certificate in PEM form")
}
