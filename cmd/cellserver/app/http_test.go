package app

import (
	"crypto/rand"
	"fmt"
	"io"
	"net"
	"net/http"
	"strconv"
	"testing"

	"cellserver/internal/porttest"
	"cellserver/resp/resptest"

	"github.com/stretchr/testify/require"
)

// ask sends GET to the API and returns the status and the body.
func ask(t *testing.T, port int, path string, headers ...string) (int, string) {
	t.Helper()
	r, err := http.NewRequest(http.MethodGet, fmt.Sprintf("http://127.0.0.1:%d%s", port, path), nil)
	require.NoError(t, err)
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	client := http.Client{Timeout: timeout, Transport: &http.Transport{DisableKeepAlives: true}}
	answer, err := client.Do(r)
	require.NoError(t, err)
	defer answer.Body.Close()
	body, err := io.ReadAll(answer.Body)
	require.NoError(t, err)
	return answer.StatusCode, string(body)
}

// askAs asks a rule with a Host of its own, and returns the status.
func askAs(t *testing.T, port int, host string) int {
	t.Helper()
	r, err := http.NewRequest(http.MethodGet, fmt.Sprintf("http://127.0.0.1:%d/check/api?key=%s", port, rand.Text()), nil)
	require.NoError(t, err)
	r.Host = host
	client := http.Client{Timeout: timeout, Transport: &http.Transport{DisableKeepAlives: true}}
	answer, err := client.Do(r)
	require.NoError(t, err)
	require.NoError(t, answer.Body.Close())
	return answer.StatusCode
}

func TestLimitsOverHTTP(t *testing.T) {
	port := porttest.Free(t)
	in := start(t, "--http-port", strconv.Itoa(port), "--requirepass", "secret", "--appendonly", "yes", "--appendfsync", "always")
	c := in.dial(t)
	ok(t, c, "AUTH", "secret")
	ok(t, c, "CL.RULE", "SET", "api", "CL.WINDOW", 1, 60)
	status, body := ask(t, port, "/check/api?key=ip", "X-Forwarded-For", "10.0.0.1")
	require.Equal(t, http.StatusOK, status, body)
	status, _ = ask(t, port, "/check/api?key=ip", "X-Forwarded-For", "10.0.0.1")
	require.Equal(t, http.StatusTooManyRequests, status)
	require.Contains(t, c.Do("CLIENT", "LIST"), " name=http ")

	ok(t, c, "CONFIG", "SET", "http-trusted-proxies", 2)
	status, _ = ask(t, port, "/check/api?key=ip", "X-Forwarded-For", "10.0.0.2, 10.0.0.1")
	require.Equal(t, http.StatusOK, status, "10.0.0.1 is the second proxy now")
	ok(t, c, "CONFIG", "SET", "http-trusted-proxies", "127.0.0.1 10.0.0.0/8")
	for _, written := range []string{"6.6.6.6, 10.9.9.9, 10.0.0.1", "7.7.7.7, 6.6.6.6:4711"} {
		status, body = ask(t, port, "/explain/api?key=ip", "X-Forwarded-For", written)
		require.Equal(t, http.StatusOK, status, body)
		require.Contains(t, body, `"key":"6.6.6.6"`)
	}
	own := fmt.Sprint("box.lan:", port)
	require.Equal(t, http.StatusMisdirectedRequest, askAs(t, port, own), "the name may be that of another site")
	require.Equal(t, http.StatusOK, askAs(t, port, "www.example.com"), "a proxy passes on the Host of its client")
	ok(t, c, "CONFIG", "SET", "http-hosts", "box.lan")
	require.Equal(t, http.StatusOK, askAs(t, port, own))
	ok(t, c, "CONFIG", "SET", "http-token", "t1")
	status, _ = ask(t, port, "/check/api?key=a")
	require.Equal(t, http.StatusUnauthorized, status)
	status, _ = ask(t, port, "/check/api?key=a", "Authorization", "Bearer t1")
	require.Equal(t, http.StatusOK, status)
	in.stop()
	in.wait(t)
	requireNoListener(t, port)
}

// TestPageOfAServerWithAPassword: requirepass also keeps numbers and rules from a program of the machine.
func TestPageOfAServerWithAPassword(t *testing.T) {
	port := porttest.Free(t)
	in := start(t, "--http-port", strconv.Itoa(port), "--http-page", "write")
	c := in.dial(t)
	see := func(want int, headers ...string) {
		t.Helper()
		for _, path := range []string{"/status", "/rules"} {
			status, body := ask(t, port, path, headers...)
			require.Equal(t, want, status, body)
		}
	}
	see(http.StatusOK)
	ok(t, c, "CONFIG", "SET", "requirepass", "secret")
	see(http.StatusForbidden)
	ok(t, c, "CONFIG", "SET", "http-token", "t1")
	see(http.StatusUnauthorized)
	see(http.StatusOK, "X-Cellserver-Token", "t1")
	ok(t, c, "CONFIG", "SET", "http-token", "", "requirepass", "")
	see(http.StatusOK)
	ok(t, c, "ACL", "SETUSER", "default", "resetpass")
	see(http.StatusForbidden)
}

// TestNoLimitsBeforeTheLoad: a request before the load is refused, because the keys are not there yet.
func TestNoLimitsBeforeTheLoad(t *testing.T) {
	port := porttest.Free(t)
	in, err := open(t, "--http-port", strconv.Itoa(port))
	require.NoError(t, err)
	status, body := ask(t, port, "/throttle")
	require.Equal(t, http.StatusServiceUnavailable, status)
	require.Contains(t, body, `"code":"unavailable"`)
	in.run(t)
	in.dial(t).Do("PING")
	status, _ = ask(t, port, "/throttle")
	require.Equal(t, http.StatusMethodNotAllowed, status)
}

func TestConfigSetMovesTheAPI(t *testing.T) {
	in := start(t)
	require.Empty(t, in.api.Plain.Address(), "off by default")
	c := in.dial(t)
	first, second := porttest.Free(t), porttest.Free(t)
	ok(t, c, "CONFIG", "SET", "http-port", first)
	status, _ := ask(t, first, "/openapi.json")
	require.Equal(t, http.StatusOK, status)
	ok(t, c, "CONFIG", "SET", "http-port", second)
	requireNoListener(t, first)

	require.Contains(t, c.Do("CONFIG", "SET", "http-bind", "0.0.0.0"), "set http-token, or bind 127.0.0.1")
	ok(t, c, "CONFIG", "SET", "http-bind", "0.0.0.0", "http-token", "secret")
	status, _ = ask(t, second, "/openapi.json", "X-Cellserver-Token", "secret")
	require.Equal(t, http.StatusOK, status)
	require.Contains(t, c.Do("CONFIG", "SET", "http-token", ""), "set http-token")

	taken, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer taken.Close()
	port := taken.Addr().(*net.TCPAddr).Port
	require.Equal(t, resptest.Error(fmt.Sprintf("ERR CONFIG SET failed (possibly related to argument 'http-port') - Unable to listen there: "+
		"cannot listen on 0.0.0.0:%d: address already in use: stop what listens there, or choose another port with --http-port", port)),
		c.Do("CONFIG", "SET", "http-port", port))
	ok(t, c, "CONFIG", "SET", "http-port", 0)
	requireNoListener(t, second)
}
