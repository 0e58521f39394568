package cluster

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"math/big"
	"testing"
	"time"

	"cellserver/cluster/peer"
	"cellserver/internal/porttest"

	"github.com/stretchr/testify/require"
)

// The check asks as a client, so a certificate for clients only is enough.
func TestTheCheckIsAClient(t *testing.T) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(t, err)
	template := &x509.Certificate{SerialNumber: big.NewInt(1), NotAfter: time.Now().Add(time.Hour),
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth}}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	require.NoError(t, err)
	leaf, err := x509.ParseCertificate(der)
	require.NoError(t, err)
	pool := x509.NewCertPool()
	pool.AddCert(leaf)
	own := &tls.Config{ClientCAs: pool, RootCAs: pool, ClientAuth: tls.RequireAndVerifyClientCert,
		Certificates: []tls.Certificate{{Certificate: [][]byte{der}, PrivateKey: key, Leaf: leaf}}}
	configuration := func() *tls.Config { return own }
	s := &peer.Security{ServerTLS: configuration, ClientTLS: configuration}
	require.ErrorContains(t, s.Check(), "serverAuth", "a node has another one")
	_, _, err = Check(t.Context(), s, fmt.Sprint("127.0.0.1:", porttest.Free(t)))
	require.ErrorContains(t, err, "connection refused")
}
