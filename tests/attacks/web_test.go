package attacks

import (
	"bufio"
	"crypto/tls"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"cellserver/internal/certtest"
	"cellserver/internal/porttest"

	"github.com/stretchr/testify/require"
)

// webServer is a server that answers limits over HTTP, with a token.
type webServer struct {
	*server
	at, scheme string
}

const webConnections = 500

func startWeb(t *testing.T) *webServer { return startWebAt(t, "http", "--http-port") }

// startWebAt starts a server whose port has the scheme and the directive. More directives may follow.
func startWebAt(t *testing.T, scheme, directive string, more ...string) *webServer {
	port := porttest.Free(t)
	all := append(more, directive, strconv.Itoa(port), "--http-token", "right",
		"--http-max-connections", strconv.Itoa(webConnections))
	s := &webServer{server: start(t, all...), at: fmt.Sprintf("127.0.0.1:%d", port), scheme: scheme}
	s.dial().Do("CL.RULE", "SET", "api", "CL.WINDOW", 1_000_000, 3600)
	s.guard(256 << 20)
	return s
}

// attack opens a connection and sends the beginning of a request. It reports false if the server has closed it.
func (s *webServer) attack(text string) (net.Conn, bool) {
	nc, err := net.Dial("tcp", s.at)
	require.NoError(s.t, err)
	s.t.Cleanup(func() { nc.Close() })
	_, err = io.WriteString(nc, text)
	return nc, err == nil
}

// serves requires that a request has its reply, and that other clients do not wait.
func (s *webServer) serves() {
	s.t.Helper()
	require.Eventually(s.t, func() bool { return s.ask("right") == http.StatusOK }, patience, 10*time.Millisecond)
	s.calm(func(_, p99 time.Duration) bool { return p99 < 20*time.Millisecond })
	s.alive()
}

// ask returns the status of a request with a token.
func (s *webServer) ask(token string) int {
	r, err := http.NewRequest(http.MethodGet, s.scheme+"://"+s.at+"/check/api?key=a", nil)
	require.NoError(s.t, err)
	r.Header.Set("Authorization", "Bearer "+token)
	client := http.Client{Timeout: patience, Transport: &http.Transport{
		DisableKeepAlives: true, TLSClientConfig: &tls.Config{InsecureSkipVerify: true},
	}}
	reply, err := client.Do(r)
	if err != nil {
		return 0
	}
	reply.Body.Close()
	return reply.StatusCode
}

// files returns how many files the server has open.
func (s *webServer) files() int {
	all, err := os.ReadDir(fmt.Sprintf("/proc/%d/fd", s.Cmd.Process.Pid))
	require.NoError(s.t, err)
	return len(all)
}

// TestIdleWebConnections opens thousands of connections, and keeps them. Some say nothing, some stop in their headers.
// The server keeps as many as http-max-connections says, and other requests find a place.
func TestIdleWebConnections(t *testing.T) {
	s := startWeb(t)
	for i := range rounds(3_000, 10_000) {
		s.attack([]string{"", "G", "GET /check/api?key=a HTTP/1.1\r\nHost: x\r\nX-Slow: "}[i%3])
	}
	require.LessOrEqual(t, s.files(), webConnections+32)
	s.serves()
	require.LessOrEqual(t, s.files(), webConnections+32)
}

// TestStalledHandshakes opens thousands of connections for TLS, and stalls at several places of the
// handshake: before it, in the head of a record, and in a large record that never ends. The server keeps no
// more of them than of others.
func TestStalledHandshakes(t *testing.T) {
	dir := t.TempDir()
	certtest.New(t, dir, "server")
	s := startWebAt(t, "https", "--http-tls-port", "--tls-cert-file", filepath.Join(dir, "server.crt"),
		"--tls-key-file", filepath.Join(dir, "server.key"), "--tls-auth-clients", "no")
	const record = "\x16\x03\x01\x40\x00\x01\x00\xff\xff" // a message of 64 kB in records of 16 kB
	stalls := []string{"", "\x16\x03\x01", record,
		record + strings.Repeat("x", 16<<10-4) + "\x16\x03\x01\x40\x00"}
	for i := range rounds(3_000, 10_000) {
		s.attack(stalls[i%len(stalls)])
	}
	require.LessOrEqual(t, s.files(), webConnections+32)
	s.serves()
	require.LessOrEqual(t, s.files(), webConnections+32)
}

// TestLargeWebRequests sends headers and bodies without an end.
func TestLargeWebRequests(t *testing.T) {
	s := startWeb(t)
	for _, text := range []string{
		"GET /check/api?key=" + strings.Repeat("x", 1<<20) + " HTTP/1.1\r\nHost: x\r\n\r\n",
		"GET / HTTP/1.1\r\nHost: x\r\nX: " + strings.Repeat("x", 1<<20) + "\r\n\r\n",
		"GET / HTTP/1.1\r\nHost: x\r\n" + strings.Repeat("X: x\r\n", 1<<18) + "\r\n",
	} {
		nc, _ := s.attack(text)
		require.NoError(t, nc.SetReadDeadline(time.Now().Add(patience)))
		reply, err := http.ReadResponse(bufio.NewReader(nc), nil)
		if err == nil { // else the server has closed the connection with unread bytes
			require.GreaterOrEqual(t, reply.StatusCode, 400)
		}
	}
	for _, kind := range []string{"application/json", "text/plain"} {
		const head = "POST /check/api?key=a HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer right\r\nContent-Type: %s\r\nContent-Length: 10000000000\r\n\r\n{\"key\": \""
		nc, _ := s.attack(fmt.Sprintf(head, kind))
		require.NoError(t, nc.SetDeadline(time.Now().Add(patience)))
		chunk := strings.Repeat("x", 64<<10)
		for sent := 0; ; sent += len(chunk) {
			require.Less(t, sent, 64<<20, "the server reads a body without an end")
			if _, err := io.WriteString(nc, chunk); err != nil {
				break // the server has closed the connection
			}
		}
	}
	s.serves()
}

// TestWrongTokens guesses the token many times. Each guess needs a new connection. The server compares 10 of
// them, and says so. The owner of the address passes.
func TestWrongTokens(t *testing.T) {
	s := startWeb(t)
	require.Equal(t, http.StatusOK, s.ask("right"))
	for i := range rounds(300, 5_000) {
		require.Equal(t, http.StatusUnauthorized, s.ask(fmt.Sprint("guess", i)))
	}
	nc, _ := s.attack(strings.Repeat("GET /check/api?key=a HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer wrong\r\n\r\n", 100))
	require.Equal(t, 1, strings.Count(readAll(t, nc), "HTTP/1.1 401"), "one guess a connection")
	require.Equal(t, http.StatusOK, s.ask("right"))
	info := fmt.Sprint(s.dial().Do("INFO", "cellserver"))
	require.Regexp(t, "auth_failures:1[0-9]\r\n", info)
	require.Regexp(t, "auth_limited:[0-9]{3,}\r\n", info)
	require.Contains(t, s.Printed(), "too many failed attempts to authenticate")
	s.serves()
}

// TestWebGarbage sends bytes that are no request.
func TestWebGarbage(t *testing.T) {
	s := startWeb(t)
	for _, text := range []string{
		"\x00\x01\x02\r\n\r\n", "*1\r\n$4\r\nPING\r\n", "GET\r\n\r\n", "GET / HTTP/9.9\r\n\r\n", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
		"GET /check/api?key=%zz HTTP/1.1\r\nHost: x\r\n\r\n", "GET //../..//check HTTP/1.1\r\nHost: x\r\n\r\n", "POST /throttle HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
		"POST /settle HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer right\r\nContent-Type: application/json\r\nContent-Length: 9\r\n\r\n{\"rule\":[",
		"GET /check/api?key=a HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
	} {
		nc, _ := s.attack(text)
		require.NoError(t, nc.(*net.TCPConn).CloseWrite())
		require.NotContains(t, readAll(t, nc), " 200 ", "%q", text)
	}
	s.serves()
}
