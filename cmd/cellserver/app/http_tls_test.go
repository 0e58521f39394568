package app

import (
	"crypto/tls"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptrace"
	"os"
	"strconv"
	"testing"
	"time"

	"cellserver/internal/certtest"
	"cellserver/internal/porttest"
	"cellserver/resp/resptest"

	"github.com/stretchr/testify/require"
)

// browser is a client of HTTP with TLS. It keeps its connection, and notes whether a request was on it.
type browser struct {
	http.Client
	port int
	kept bool
}

func newBrowser(t *testing.T, port int, shown ...tls.Certificate) *browser {
	transport := &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true, Certificates: shown}}
	t.Cleanup(transport.CloseIdleConnections)
	return &browser{Client: http.Client{Transport: transport, Timeout: timeout}, port: port}
}

// get returns the status and the body of a path, and the name in the server's certificate.
func (b *browser) get(path string, headers ...string) (status int, body, name string, err error) {
	r, err := http.NewRequest(http.MethodGet, fmt.Sprintf("https://127.0.0.1:%d%s", b.port, path), nil)
	if err != nil {
		return 0, "", "", err
	}
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	seen := &httptrace.ClientTrace{GotConn: func(i httptrace.GotConnInfo) { b.kept = i.Reused }}
	answer, err := b.Do(r.WithContext(httptrace.WithClientTrace(r.Context(), seen)))
	if err != nil {
		return 0, "", "", err
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	return answer.StatusCode, string(text), answer.TLS.PeerCertificates[0].Subject.CommonName, err
}

// startWebTLS starts a server whose HTTP and metrics ports are with TLS. client.crt is its authority.
func startWebTLS(t *testing.T, dir string, directives ...string) (in *instance, web, metrics int) {
	certtest.New(t, dir, "server")
	web, metrics = porttest.Free(t), porttest.Free(t)
	in = start(t, append([]string{"--dir", dir, "--http-tls-port", strconv.Itoa(web), "--metrics-tls-port",
		strconv.Itoa(metrics), "--tls-cert-file", "server.crt", "--tls-key-file", "server.key",
		"--tls-ca-cert-file", "client.crt"}, directives...)...)
	return in, web, metrics
}

// TestHTTPOverTLS: a client with a certificate of the authority gets limits, the page, health and metrics.
// Other clients get nothing.
func TestHTTPOverTLS(t *testing.T) {
	dir := t.TempDir()
	trusted, unknown := certtest.New(t, dir, "client"), certtest.New(t, dir, "unknown")
	in, web, metrics := startWebTLS(t, dir)
	c := in.dial(t)
	ok(t, c, "CL.RULE", "SET", "api", "CL.WINDOW", 100, 60)
	for path, want := range map[string]string{
		"/check/api?key=a": `"allowed":true`, "/": "<html", "/status": `"version"`, "/readyz": "ready\n",
	} {
		status, body, name, err := newBrowser(t, web, trusted).get(path)
		require.NoError(t, err)
		require.Equal(t, []any{http.StatusOK, "server"}, []any{status, name}, body)
		require.Contains(t, body, want)
	}
	for path, want := range map[string]string{
		"/metrics": "cellserver_decisions_total", "/healthz": "alive\n",
	} {
		status, body, _, err := newBrowser(t, metrics, trusted).get(path)
		require.NoError(t, err)
		require.Equal(t, http.StatusOK, status)
		require.Contains(t, body, want)
	}
	for _, port := range []int{web, metrics} {
		for _, shown := range [][]tls.Certificate{nil, {unknown}} {
			_, _, _, err := newBrowser(t, port, shown...).get("/healthz")
			require.ErrorContains(t, err, "certificate")
		}
	}
	ok(t, c, "CONFIG", "SET", "tls-auth-clients", "no", "http-token", "t1")
	for want, headers := range map[int][]string{
		http.StatusUnauthorized: nil, http.StatusOK: {"Authorization", "Bearer t1"},
	} {
		status, _, _, err := newBrowser(t, web).get("/check/api?key=a", headers...)
		require.NoError(t, err)
		require.Equal(t, want, status)
	}
}

// TestARequestForTheOtherProtocol has an answer on both ports.
func TestARequestForTheOtherProtocol(t *testing.T) {
	dir, plain := t.TempDir(), porttest.Free(t)
	certtest.New(t, dir, "client")
	_, web, _ := startWebTLS(t, dir, "--http-port", strconv.Itoa(plain))
	status, body := ask(t, web, "/check/api?key=a")
	require.Equal(t, http.StatusBadRequest, status)
	require.Contains(t, body, "Client sent an HTTP request to an HTTPS server")
	_, _, _, err := newBrowser(t, plain).get("/check/api?key=a")
	require.ErrorContains(t, err, "server gave HTTP response to HTTPS client")
}

// TestCertificatesOfHTTPAreRenewed by CONFIG SET, by SIGHUP, and by themselves. No connection is lost, and a broken file
// changes nothing.
func TestCertificatesOfHTTPAreRenewed(t *testing.T) {
	dir := t.TempDir()
	certtest.New(t, dir, "client")
	in, web, metrics := startWebTLS(t, dir, "--tls-auth-clients", "no")
	kept := newBrowser(t, web)
	ask := func(b *browser) string {
		t.Helper()
		status, _, name, err := b.get("/healthz")
		require.NoError(t, err)
		require.Equal(t, http.StatusOK, status)
		return name
	}
	require.Equal(t, "server", ask(kept))
	for name, renew := range map[string]func(){
		"first":  func() { ok(t, in.dial(t), "CONFIG", "SET", "tls-cert-file", "server.crt") },
		"second": in.Reload,
		"third":  func() {},
	} {
		renewed := t.TempDir()
		certtest.New(t, renewed, name)
		require.NoError(t, os.Rename(renewed+"/"+name+".crt", dir+"/server.crt"))
		require.NoError(t, os.Rename(renewed+"/"+name+".key", dir+"/server.key"))
		renew()
		if name == "third" {
			renewed := func() bool { return ask(newBrowser(t, web)) == name }
			require.Eventually(t, renewed, timeout, 10*time.Millisecond)
		}
		require.Equal(t, name, ask(newBrowser(t, web)))
		require.Equal(t, name, ask(newBrowser(t, metrics)))
		require.Equal(t, "server", ask(kept))
		require.True(t, kept.kept, "the connection was lost")
	}
	require.Contains(t, in.log.String(), "the certificates were read again")
	last := ask(newBrowser(t, web))
	require.NoError(t, os.WriteFile(dir+"/server.crt", nil, 0o600))
	in.Reload()
	const warning = "the certificates could not be read again, and the current ones stay in use"
	require.Contains(t, in.log.String(), warning)
	require.Equal(t, last, ask(newBrowser(t, web)))
}

// TestConfigSetMovesTheTLSPort: the ports of HTTP change places with one command, and a refusal changes
// neither.
func TestConfigSetMovesTheTLSPort(t *testing.T) {
	dir := t.TempDir()
	certtest.New(t, dir, "client")
	in, web, _ := startWebTLS(t, dir, "--tls-auth-clients", "no")
	c := in.dial(t)
	ok(t, c, "CONFIG", "SET", "http-tls-port", 0, "http-port", web)
	status, _ := ask(t, web, "/healthz")
	require.Equal(t, http.StatusOK, status)
	ok(t, c, "CONFIG", "SET", "http-tls-port", web, "http-port", 0)
	status, _, _, err := newBrowser(t, web).get("/healthz")
	require.NoError(t, err)
	require.Equal(t, http.StatusOK, status)

	own, other := in.Addr().(*net.TCPAddr).Port, porttest.Free(t)
	require.Contains(t, c.Do("CONFIG", "SET", "http-tls-port", own), "port and http-tls-port are both")
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer taken.Close()
	used := taken.Addr().(*net.TCPAddr).Port
	require.Contains(t, c.Do("CONFIG", "SET", "http-port", other, "http-tls-port", used),
		"address already in use: stop what listens there, or choose another port with --http-tls-port")
	requireNoListener(t, other)
	_, _, _, err = newBrowser(t, web).get("/healthz")
	require.NoError(t, err)

	require.Contains(t, c.Do("CONFIG", "SET", "http-bind", "0.0.0.0"), "set http-token")
	ok(t, c, "CONFIG", "SET", "http-bind", "0.0.0.0", "tls-auth-clients", "yes")
	require.Contains(t, c.Do("CONFIG", "SET", "tls-auth-clients", "optional"), "set http-token")
}

// takenPort returns a port where another program listens until the test ends.
func takenPort(t *testing.T) string {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() { ln.Close() })
	_, port, err := net.SplitHostPort(ln.Addr().String())
	require.NoError(t, err)
	return port
}

// TestPortsOfHTTPChangePlaces: each port may be that of the other one before. A refusal puts both back.
func TestPortsOfHTTPChangePlaces(t *testing.T) {
	dir, first, third := t.TempDir(), porttest.Free(t), porttest.Free(t)
	certtest.New(t, dir, "client")
	in, second, _ := startWebTLS(t, dir, "--tls-auth-clients", "no", "--http-port", strconv.Itoa(first))
	c, taken := in.dial(t), takenPort(t)
	answer := func(plain, secure int) {
		t.Helper()
		status, _ := ask(t, plain, "/healthz")
		require.Equal(t, http.StatusOK, status)
		status, _, _, err := newBrowser(t, secure).get("/healthz")
		require.NoError(t, err)
		require.Equal(t, http.StatusOK, status)
	}
	for _, ports := range [][2]int{{second, first}, {first, third}, {third, second}, {first, third}} {
		ok(t, c, "CONFIG", "SET", "http-port", ports[0], "http-tls-port", ports[1])
		answer(ports[0], ports[1])
		for _, refused := range [][2]any{{ports[1], taken}, {taken, ports[0]}} {
			reply := c.Do("CONFIG", "SET", "http-port", refused[0], "http-tls-port", refused[1])
			require.Contains(t, reply, "already in use")
		}
		answer(ports[0], ports[1])
	}
}

// TestAPartOfAHandshake: the server waits for no client before it stops, and other clients do not wait.
func TestAPartOfAHandshake(t *testing.T) {
	dir := t.TempDir()
	certtest.New(t, dir, "client")
	in, web, _ := startWebTLS(t, dir, "--tls-auth-clients", "no", "--http-max-connections", "8")
	for range 64 {
		nc := resptest.Dial(t, fmt.Sprint("127.0.0.1:", web))
		nc.Write([]byte("\x16\x03\x01\x02\x00\x01"))
	}
	_, _, _, err := newBrowser(t, web).get("/healthz")
	require.NoError(t, err)
	in.stop()
	in.wait(t)
}

// TestTLSPortsNeedCertificates says which directive asks for them.
func TestTLSPortsNeedCertificates(t *testing.T) {
	in := start(t)
	for _, port := range []string{"http-tls-port", "metrics-tls-port"} {
		require.Contains(t, in.dial(t).Do("CONFIG", "SET", port, porttest.Free(t)),
			port+" needs tls-cert-file and tls-key-file")
	}
}

// TestAnOpenConnectionNeedsACertificate, too: tls-auth-clients is also for clients that are inside.
func TestAnOpenConnectionNeedsACertificate(t *testing.T) {
	dir := t.TempDir()
	trusted := certtest.New(t, dir, "client")
	in, web, _ := startWebTLS(t, dir, "--tls-auth-clients", "no", "--http-token", "t1")
	bare, shown := newBrowser(t, web), newBrowser(t, web, trusted)
	status, body, _, err := bare.get("/rules", "Authorization", "Bearer t1")
	require.NoError(t, err)
	require.Equal(t, http.StatusOK, status, body)
	c := in.dial(t)
	ok(t, c, "CONFIG", "SET", "tls-auth-clients", "optional")
	_, _, _, err = shown.get("/rules", "Authorization", "Bearer t1")
	require.NoError(t, err)
	ok(t, c, "CONFIG", "SET", "tls-auth-clients", "yes", "http-token", "")
	status, body, _, err = bare.get("/rules")
	require.NoError(t, err)
	require.True(t, bare.kept)
	require.Equal(t, http.StatusForbidden, status, body)
	require.Contains(t, body, "show a certificate of tls-ca-cert-file")
	_, _, _, err = bare.get("/rules")
	require.ErrorContains(t, err, "certificate", "the connection is still open")
	status, _, _, err = shown.get("/rules")
	require.NoError(t, err)
	require.True(t, shown.kept)
	require.Equal(t, http.StatusOK, status)
}

// TestARefusedChangeOfTLSLetsNobodyIn: no later part that refuses a change leaves its certificates in force.
// The next look at the files finds nothing new.
func TestARefusedChangeOfTLSLetsNobodyIn(t *testing.T) {
	dir, secure := t.TempDir(), porttest.Free(t)
	trusted, unknown := certtest.New(t, dir, "client"), certtest.New(t, dir, "unknown")
	in, web, _ := startWebTLS(t, dir, "--tls-port", strconv.Itoa(secure))
	c, taken := in.dial(t), takenPort(t)
	for _, change := range [][]any{
		{"already in use", "tls-auth-clients", "no", "metrics-port", taken},
		{"already in use", "tls-auth-clients", "optional", "http-port", taken},
		{"already in use", "tls-ca-cert-file", dir + "/unknown.crt", "metrics-port", taken},
		{"no such file", "tls-cert-file", "nowhere"},
	} {
		require.Contains(t, c.Do(append([]any{"CONFIG", "SET"}, change[1:]...)...), change[0])
		for _, shown := range [][]tls.Certificate{nil, {unknown}} {
			_, _, _, err := newBrowser(t, web, shown...).get("/rules")
			require.ErrorContains(t, err, "certificate", "%v", change)
			bad, _, err := dialTLS(t, fmt.Sprint("127.0.0.1:", secure), shown...)
			if err == nil { // with TLS 1.3 the client learns it after its handshake
				requireClosed(t, bad)
			}
		}
		_, _, _, err := newBrowser(t, web, trusted).get("/rules")
		require.NoError(t, err)
		in.pollCertificates()
	}
	require.NotContains(t, in.log.String(), "the certificates were read again")
}
