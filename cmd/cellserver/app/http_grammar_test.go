package app

import (
	"bufio"
	"fmt"
	"net"
	"strconv"
	"strings"
	"testing"
	"time"

	"cellserver/internal/porttest"

	"github.com/stretchr/testify/require"
)

// TestGrammarOfHTTP sends requests byte for byte. "|" is the end of a line.
func TestGrammarOfHTTP(t *testing.T) {
	port := porttest.Free(t)
	in := start(t, "--http-port", strconv.Itoa(port), "--http-trusted-proxies", "2")
	ok(t, in.dial(t), "CL.RULE", "SET", "api", "CL.WINDOW", 100, 3600)
	exchange := func(request string) string {
		nc, err := net.DialTimeout("tcp", fmt.Sprint("127.0.0.1:", port), timeout)
		require.NoError(t, err)
		defer nc.Close()
		require.NoError(t, nc.SetDeadline(time.Now().Add(timeout)))
		_, err = nc.Write([]byte(strings.ReplaceAll(request, "|", "\r\n")))
		require.NoError(t, err)
		var all strings.Builder
		_, _ = bufio.NewReader(nc).WriteTo(&all) // a reset after an early answer is no failure
		return all.String()
	}
	const host, end = "Host: localhost|Connection: close|", "|"
	const json = "Content-Type: application/json|"
	for _, c := range []struct {
		request string
		parts   []string // of the reply
	}{
		{"GET /check/api?key=a HTTP/1.1|" + host + end, []string{"HTTP/1.1 200 OK\r\n", `"remaining":99`, "\r\nX-RateLimit-Limit: 100\r\n"}},
		{"GET /check/api?key=a HTTP/1.0|" + end, []string{"HTTP/1.0 200 OK\r\n", `"remaining":98`}},
		{"HEAD /check/api?key=a HTTP/1.1|" + host + end, []string{"HTTP/1.1 200 OK\r\n", "\r\nRateLimit: \"api\";r=97;t=3600\r\n"}},
		{"POST /check/api HTTP/1.1|" + host + json + "Transfer-Encoding: chunked|" + end + "5|{\"key|9|\": \"a\"}  |0||", []string{"HTTP/1.1 200 OK\r\n", `"remaining":96`}},
		{"POST /check/api HTTP/1.1|" + host + json + "Expect: 100-continue|Content-Length: 12|" + end + `{"key": "a"}`,
			[]string{"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\n", `"remaining":95`}},
		{"POST /check/api HTTP/1.1|" + host + json + "Expect: a-wonder|Content-Length: 12|" + end + `{"key": "a"}`, []string{"HTTP/1.1 417 "}},
		{"POST /check/api HTTP/1.1|" + host + json + "Expect: 100-continue|Content-Length: 99999|" + end, []string{"HTTP/1.1 413 ", `"code":"too_large"`}},
		{"POST /check/api?key=a HTTP/1.1|" + host + "content-type: text/plain|content-length: 1|" + end + "x", []string{"HTTP/1.1 415 ", "\r\nAccept: application/json\r\n"}},
		{"BREW /check/api?key=a HTTP/1.1|" + host + end, []string{"HTTP/1.1 405 ", "\r\nAllow: GET, POST, HEAD\r\n", "\r\nContent-Type: application/problem+json\r\n"}},
		{"GET /explain/api?key=ip HTTP/1.1|" + host + "x-forwarded-for: 6.6.6.6, 10.0.0.1|X-FORWARDED-FOR: 10.0.0.2|" + end, []string{`"key":"10.0.0.1"`}},
		{"GET /explain/api?key=plain-header:A HTTP/1.1|" + host + "a:  x y \t|" + end, []string{`"key":"x y"`}},
		{"GET /explain/api?key=plain-header:A HTTP/1.1|" + host + "A: x|A: x|" + end, []string{"HTTP/1.1 400 ", "the request has the key twice"}},
		{"GET /check/api?key=a HTTP/1.1|Connection: close|" + end, []string{"HTTP/1.1 400 "}},
		{"GET /check/api?key=a HTTP/1.1|" + host + "X : y|" + end, []string{"HTTP/1.1 400 "}},
		{"POST /check/api HTTP/1.1|" + host + json + "Content-Length: 12|Content-Length: 13|" + end + `{"key": "a"} `, []string{"HTTP/1.1 400 "}},
		{"GET /check/api?key=a HTTP/1.1|" + host + "X: " + strings.Repeat("x", 64<<10) + "|" + end, []string{"HTTP/1.1 431 "}},
		{"GET http://localhost/check/api?key=a HTTP/1.1|" + host + end, []string{"HTTP/1.1 200 OK\r\n", `"remaining":94`}},
	} {
		reply := exchange(c.request)
		require.True(t, strings.HasPrefix(reply, c.parts[0]) || strings.Contains(reply, c.parts[0]) && c.parts[0][0] == '"', "%.200s\n%s", c.request, reply)
		for _, part := range c.parts[1:] {
			require.Contains(t, reply, part, "%.200s", c.request)
		}
		if strings.HasPrefix(c.request, "HEAD") {
			require.True(t, strings.HasSuffix(reply, "\r\n\r\n"), "a reply to HEAD has no body: %s", reply)
		}
	}
}
