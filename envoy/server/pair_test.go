package server

import (
	"crypto/tls"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"cellserver/envoy/tlsfiles"
	"cellserver/internal/certtest"
)

// A pair has a certificate for each side. Each one is its own authority.
type pair struct{ folder string }

func newPair(t *testing.T) pair {
	p := pair{t.TempDir()}
	p.renew(t)
	return p
}

// renew replaces both certificates.
func (p pair) renew(t *testing.T) {
	certtest.New(t, p.folder, "server")
	certtest.New(t, p.folder, "client")
}

func (p pair) files(own, other string) tlsfiles.Files {
	path := func(name string) string { return filepath.Join(p.folder, name) }
	return tlsfiles.Files{Cert: path(own + ".crt"), Key: path(own + ".key"), CA: path(other + ".crt"), Name: "127.0.0.1"}
}

func (p pair) server(t *testing.T, asks bool) *tls.Config {
	f := p.files("server", "client")
	if !asks {
		f.CA = ""
	}
	c, err := tlsfiles.Server(f)
	require.NoError(t, err)
	return c
}

func (p pair) client(t *testing.T, has bool) *tls.Config {
	f := p.files("client", "server")
	if !has {
		f.Cert, f.Key = "", ""
	}
	c, err := tlsfiles.Client(f)
	require.NoError(t, err)
	return c
}
