package cluster

import (
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"testing"
	"time"

	"cellserver/cluster/peer"
	"cellserver/internal/certtest"
	"cellserver/internal/porttest"

	"github.com/stretchr/testify/require"
)

// The check asks as a client, so a certificate for clients only is enough.
func TestTheCheckIsAClient(t *testing.T) {
	now := time.Now()
	client := certtest.Between(t, t.TempDir(), "client", now.Add(-time.Hour), now.Add(time.Hour), x509.ExtKeyUsageClientAuth)
	pool := x509.NewCertPool()
	pool.AddCert(client.Leaf)
	own := &tls.Config{ClientCAs: pool, RootCAs: pool, ClientAuth: tls.RequireAndVerifyClientCert,
		Certificates: []tls.Certificate{client}}
	configuration := func() *tls.Config { return own }
	s := &peer.Security{ServerTLS: configuration, ClientTLS: configuration}
	require.ErrorContains(t, s.Check(), "serverAuth", "a node has another one")
	_, _, err := Check(t.Context(), s, fmt.Sprint("127.0.0.1:", porttest.Free(t)))
	require.ErrorContains(t, err, "connection refused")
}
