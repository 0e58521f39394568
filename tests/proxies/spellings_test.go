package proxies

import (
	"bufio"
	"fmt"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// A line of a request is "METHOD TARGET" or "METHOD TARGET HOST", and headers follow it.
type spelling struct {
	line    string
	headers []string
}

// spellingsOf has the requests that a client may vary without an end, by the source of the key.
var spellingsOf = map[string][]spelling{
	"ip,path": {
		{line: "GET /login"}, {line: "GET /login#1"}, {line: "GET /login#2"}, {line: "GET /login?3"}, {line: "GET /login?#4"}, {line: "GET /LOGIN"}, {line: "GET /Login"},
		{line: "GET /login/"}, {line: "GET //login"}, {line: "GET /./login"}, {line: "GET /a/../login"}, {line: "GET /b/%2e%2E/login"}, {line: "GET /%6cogin"},
		{line: "GET /login%2F"}, {line: "GET /login;x"}, {line: "GET /login;y=1"}, {line: "GET /..;/login"}, {line: "GET http://127.0.0.1/login"},
		{line: "GET http://other/login"},
		{"GET /login", []string{"X-Forwarded-Uri: /1"}}, {"GET /login", []string{"X-Forwarded-Uri: /2", "X-Forwarded-Uri: /3"}},
		{"GET /login", []string{"X-Original-URI: /4", "X-Original-URL: /5", "X-Rewrite-URL: /6"}},
		{"GET /login", []string{"X-Forwarded-Uri : /7"}}, {"GET /login", []string{"X_Forwarded_Uri: /8"}},
		{"GET /login", []string{"X-Forwarded-For: 6.6.6.6"}}, {"GET /login", []string{"X-Forwarded-For: 6.6.6.6, 7.7.7.7", "X-Real-IP: 8.8.8.8"}},
		{"GET /login", []string{"Forwarded: for=9.9.9.9", "CF-Connecting-IP: 9.9.9.9", "True-Client-IP: 9.9.9.9"}},
		{"GET /login", []string{"Connection: X-Forwarded-Uri, X-Forwarded-For"}},
		{"GET /login", []string{"X-A: a\r\n X-Forwarded-Uri: /9"}},
	},
	"ip,method": {
		{line: "GET /"}, {"GET /", []string{"X-Forwarded-Method: PUT"}}, {"GET /", []string{"X-Forwarded-Method: A", "X-Forwarded-Method: B"}},
		{"GET /", []string{"X-HTTP-Method-Override: PUT", "X-Original-Method: PUT"}}, {"GET /", []string{"Connection: X-Forwarded-Method"}},
	},
	"method": {{line: "AAAA /"}, {line: "AAAB /"}, {line: "PROPFIND /"}, {line: "A-B /"}},
	"ip,host": {
		{line: "GET / example.com"}, {line: "GET / EXAMPLE.com"}, {line: "GET / example.com:1"}, {line: "GET / example.com:2"}, {line: "GET / example.com."},
		{line: "GET / example.com.:3"}, {line: "GET http://example.com/ other"}, {line: "GET http://example.com:4/ other"},
		{"GET / example.com", []string{"X-Forwarded-Host: other"}}, {"GET / example.com", []string{"X-Forwarded-Host: a", "X-Forwarded-Host: b"}},
		{"GET / example.com", []string{"X-Host: other", "X-Forwarded-Server: other", "Forwarded: host=other"}},
		{"GET / example.com", []string{"Connection: X-Forwarded-Host"}},
	},
}

// raw sends a request byte for byte, and returns the status.
func (s *site) raw(one spelling) int {
	s.t.Helper()
	nc, err := net.DialTimeout("tcp", fmt.Sprintf("127.0.0.1:%d", s.front), patience)
	require.NoError(s.t, err)
	defer nc.Close()
	require.NoError(s.t, nc.SetDeadline(time.Now().Add(patience)))
	words := append(strings.Fields(one.line), "localhost")
	lines := append([]string{words[0] + " " + words[1] + " HTTP/1.1", "Host: " + words[2]}, one.headers...)
	_, err = nc.Write([]byte(strings.Join(lines, "\r\n") + "\r\n\r\n"))
	require.NoError(s.t, err)
	reply, err := http.ReadResponse(bufio.NewReader(nc), nil)
	require.NoError(s.t, err, "%q", one)
	reply.Body.Close()
	return reply.StatusCode
}

// TestSpellings: whatever spelling a client chooses, it has one limit. A proxy may also refuse a spelling itself.
func TestSpellings(t *testing.T) {
	for _, p := range proxies {
		t.Run(p.name, func(t *testing.T) {
			for source, spellings := range spellingsOf {
				s := newSite(t)
				s.key = source
				s.do("CL.RULE", "SET", "api", "CL.WINDOW", 3, 3600)
				p.start(s, false)
				for _, one := range spellings {
					for range 2 {
						require.Contains(t, []int{200, 400, 405, 429}, s.raw(one), "%s %q", source, one)
					}
				}
				require.Equal(t, int64(3), s.served.Load(), "%s: %v", source, s.do("KEYS", "api:*"))
				require.Len(t, s.do("KEYS", "api:*"), 1, source)
			}
		})
	}
}

// TestTokens: a token of any length that a proxy forwards has a limit of its own.
func TestTokens(t *testing.T) {
	for _, p := range proxies {
		t.Run(p.name, func(t *testing.T) {
			s := newSite(t)
			s.key = "header:Authorization"
			s.do("CL.RULE", "SET", "api", "CL.WINDOW", 2, 3600)
			p.start(s, false)
			get := func(headers ...string) int { return s.raw(spelling{"GET /", headers}) }
			long := "Authorization: Bearer " + strings.Repeat("x", 1100)
			require.Equal(t, []int{200, 200, 429}, []int{get(long), get(long), get(long)})
			require.Equal(t, 200, get(long+"y"))
			require.Contains(t, []int{400, 503}, get(), "there is no key")
			require.Equal(t, int64(3), s.served.Load())
			require.NotContains(t, fmt.Sprint(s.do("KEYS", "*")), "xxxx", "a key does not show a token")
		})
	}
}

// TestPreflight: a proxy lets preflight requests of browsers pass, and they do not count.
func TestPreflight(t *testing.T) {
	for _, p := range proxies {
		t.Run(p.name, func(t *testing.T) {
			s := newSite(t)
			s.key = "header:Authorization&preflight=allow"
			s.do("CL.RULE", "SET", "api", "CL.WINDOW", 1, 3600)
			p.start(s, false)
			preflight := []string{"Origin: https://shop.example", "Access-Control-Request-Method: PUT"}
			for range 3 {
				require.Equal(t, 200, s.raw(spelling{"OPTIONS /", preflight}))
			}
			require.Contains(t, []int{400, 503}, s.raw(spelling{"PUT /", preflight}), "this is no preflight, and has no key")
			require.Contains(t, []int{400, 503}, s.raw(spelling{line: "OPTIONS /"}))
			put := append([]string{"Authorization: Bearer a"}, preflight...)
			require.Equal(t, []int{200, 429}, []int{s.raw(spelling{"PUT /", put}), s.raw(spelling{"PUT /", put})})
			require.Equal(t, int64(4), s.served.Load())
		})
	}
}
