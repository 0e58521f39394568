package app

import (
	"crypto/tls"
	"fmt"
	"net"
	"os"
	"strings"
	"testing"
	"time"

	"cellserver/internal/certtest"
	"cellserver/internal/porttest"
	"cellserver/resp/resptest"

	"github.com/stretchr/testify/require"
)

// dialTLS connects with the given client certificates. It returns the connection and the name in the server's certificate.
func dialTLS(t *testing.T, addr string, certificates ...tls.Certificate) (*resptest.Client, string, error) {
	nc, err := tls.Dial("tcp", addr, &tls.Config{InsecureSkipVerify: true, Certificates: certificates})
	if err != nil {
		return nil, "", err
	}
	return resptest.New(t, nc), nc.ConnectionState().PeerCertificates[0].Subject.CommonName, nil
}

func startTLS(t *testing.T, dir string, directives ...string) *instance {
	return start(t, append([]string{"--dir", dir, "--port", "0", "--tls-port", fmt.Sprint(porttest.Free(t)),
		"--tls-cert-file", "server.crt", "--tls-key-file", "server.key", "--tls-ca-cert-file", "client.crt"}, directives...)...)
}

func TestTLS(t *testing.T) {
	dir := t.TempDir()
	certtest.New(t, dir, "server")
	trusted, unknown := certtest.New(t, dir, "client"), certtest.New(t, dir, "unknown")
	in := startTLS(t, dir)
	addr := in.Addr().String()

	c, name, err := dialTLS(t, addr, trusted)
	require.NoError(t, err)
	require.Equal(t, "server", name)
	require.Equal(t, resptest.Simple("PONG"), c.Do("PING"))
	require.Eventually(t, func() bool { return strings.Contains(in.greeted.String(), "--tls CL.THROTTLE") }, timeout, time.Millisecond)

	for _, shown := range [][]tls.Certificate{nil, {unknown}} {
		bad, _, err := dialTLS(t, addr, shown...)
		if err == nil { // with TLS 1.3 the client learns it after its handshake
			requireClosed(t, bad)
		}
	}
	ok(t, c, "CONFIG", "SET", "tls-auth-clients", "no")
	c, _, err = dialTLS(t, addr)
	require.NoError(t, err)
	require.Equal(t, resptest.Simple("PONG"), c.Do("PING"))
}

// A client that speaks TLS learns the port for TLS, and every other client the other port.
func TestPortsOfClientsWithTLS(t *testing.T) {
	dir := t.TempDir()
	certtest.New(t, dir, "server")
	trusted := certtest.New(t, dir, "client")
	plain, encrypted := porttest.Free(t), porttest.Free(t)
	start(t, "--dir", dir, "--port", fmt.Sprint(plain), "--tls-port", fmt.Sprint(encrypted), "--cluster-enabled", "yes",
		"--tls-cert-file", "server.crt", "--tls-key-file", "server.key", "--tls-ca-cert-file", "client.crt")
	c, _, err := dialTLS(t, fmt.Sprintf("127.0.0.1:%d", encrypted), trusted)
	require.NoError(t, err)
	nc, err := net.Dial("tcp", fmt.Sprintf("127.0.0.1:%d", plain))
	require.NoError(t, err)
	for port, c := range map[int]*resptest.Client{plain: resptest.New(t, nc), encrypted: c} {
		node := c.Do("CLUSTER", "SLOTS").([]any)[0].([]any)[2].([]any)
		require.EqualValues(t, port, node[1])
	}
}

func TestTLSCertificatesAreRenewed(t *testing.T) {
	dir := t.TempDir()
	certtest.New(t, dir, "server")
	certtest.New(t, dir, "client")
	renewed := t.TempDir()
	certtest.New(t, renewed, "renewed")
	in := startTLS(t, dir, "--tls-auth-clients", "no")
	c, _, err := dialTLS(t, in.Addr().String())
	require.NoError(t, err)

	require.NoError(t, os.Rename(renewed+"/renewed.crt", dir+"/server.crt"))
	reply := c.Do("CONFIG", "SET", "tls-cert-file", dir+"/server.crt")
	require.Contains(t, fmt.Sprint(reply), "private key does not match public key", "the new certificate without its key")
	require.NoError(t, os.Rename(renewed+"/renewed.key", dir+"/server.key"))
	ok(t, c, "CONFIG", "SET", "tls-cert-file", "server.crt")
	_, name, err := dialTLS(t, in.Addr().String())
	require.NoError(t, err)
	require.Equal(t, "renewed", name)

	require.NoError(t, os.Remove(dir+"/server.key"))
	ok(t, c, "CONFIG", "SET", "timeout", 10)
	require.Contains(t, in.log.String(), "certificates could not be read again")
	warned := strings.Count(in.log.String(), "certificates could not be read again")
	ok(t, c, "CONFIG", "SET", "timeout", 11)
	ok(t, c, "CONFIG", "SET", "log-format", "text")
	require.Equal(t, warned, strings.Count(in.log.String(), "certificates could not be read again"))
}

// TestTLSAfterARefusedChange: the next CONFIG SET brings back what a refused one has taken.
func TestTLSAfterARefusedChange(t *testing.T) {
	dir := t.TempDir()
	certtest.New(t, dir, "server")
	certtest.New(t, dir, "client")
	used, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer used.Close()
	in := startTLS(t, dir, "--tls-auth-clients", "optional")
	c, _, err := dialTLS(t, in.Addr().String())
	require.NoError(t, err)
	ok(t, c, "CONFIG", "SET", "tls-auth-clients", "yes")
	reply := c.Do("CONFIG", "SET", "tls-auth-clients", "no", "port", used.Addr().(*net.TCPAddr).Port)
	require.Contains(t, fmt.Sprint(reply), "Unable to listen on this port")
	ok(t, c, "CONFIG", "SET", "timeout", 11)
	again, _, err := dialTLS(t, in.Addr().String())
	if err == nil { // with TLS 1.3 the client learns it after its handshake
		requireClosed(t, again)
	}
}

func TestTLSFilesWithoutCertificates(t *testing.T) {
	dir := t.TempDir()
	certtest.New(t, dir, "server")
	require.NoError(t, os.WriteFile(dir+"/empty", nil, 0o600))
	for file, want := range map[string]string{
		"--tls-cert-file":    "tls-cert-file and tls-key-file: tls: failed to find any PEM data in certificate input",
		"--tls-ca-cert-file": "tls-ca-cert-file: " + dir + "/empty holds no certificate",
	} {
		_, err := open(t, "--dir", dir, "--port", "0", "--tls-port", fmt.Sprint(porttest.Free(t)), "--tls-cert-file", "server.crt",
			"--tls-key-file", "server.key", "--tls-ca-cert-file", "server.crt", file, "empty")
		require.EqualError(t, err, want)
	}
}
