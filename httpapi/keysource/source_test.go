package keysource

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// request makes a request with headers, which alternate: name, value, name, value.
func request(headers ...string) *Request {
	r := httptest.NewRequest(http.MethodGet, "http://limits/check/api", nil)
	r.RemoteAddr = "192.0.2.9:1234"
	for i := 0; i < len(headers); i += 2 {
		r.Header.Add(headers[i], headers[i+1])
	}
	return &Request{Request: r, Trust: Trust{Proxies: 1}}
}

func TestKeys(t *testing.T) {
	long := strings.Repeat("x", MaxKey+1)
	for _, c := range []struct {
		source string
		from   *Request
		key    string
		err    error
	}{
		{"user:4711", request(), "user:4711", nil},
		{"", request(), "", ErrMissing},
		{"text:", request(), "", ErrMissing},
		{"a,b", request(), "a,b", nil},
		{"text:ip", request(), "ip", nil},
		{"text:a,ip", request(), "a,ip", nil},
		{"text:header", request(), "header", nil},
		{"holder:4711", request(), "holder:4711", nil},
		{"2001:db8::1", request(), "2001:db8::1", nil},
		{"hub:4711", request(), "hub:4711", nil},
		{"User:Host", request(), "User:Host", nil},
		{"plain-header:X-Api-Key", request("X-Api-Key", "k1"), "k1", nil},
		{"plain-header:x-api-key", request("X-Api-Key", "k1"), "k1", nil},
		{"plain-header:X-Api-Key", request(), "", ErrMissing},
		{"plain-header:X-Api-Key", request("X-Api-Key", ""), "", ErrMissing},
		{"plain-header:X-Api-Key", request("X-Api-Key", "a", "X-Api-Key", "b"), "", ErrTwice},
		{"plain-header:X-Api-Key", request("X-Api-Key", long), Shorten(long), nil},
		{"plain-header:Host", request(), "limits", nil},
		{"plain-cookie:session", request("Cookie", "a=1; session=s1"), "s1", nil},
		{"plain-cookie:session", request("Cookie", "a=1"), "", ErrMissing},
		{"plain-cookie:session", request("Cookie", "session=1; session=2"), "", ErrTwice},
		{"path", request("X-Forwarded-Uri", "/a/b?c=d"), "/a/b", nil},
		{"path", request("X-Forwarded-Uri", "//a/./x/..//%62"), "/a/b", nil},
		{"path", request(), "", ErrMissing},
		{"path", &Request{Request: request("X-Forwarded-Uri", "/other").Request, Path: "/mine"}, "/mine", nil},
		{"method", request("X-Forwarded-Method", "PUT"), "PUT", nil},
		{"method", request(), "GET", nil},
		{"host", request("X-Forwarded-Host", "Shop.Example"), "shop.example", nil},
		{"api,ip", request("X-Forwarded-For", "10.1.1.1"), "api,10.1.1.1", nil},
		{"plain-header:A,plain-header:B", request("A", "1,2", "B", "3"), "1%2C2,3", nil},
		{"plain-header:A,plain-header:B", request("A", "1", "B", "2,3"), "1,2%2C3", nil},
		{"plain-header:A,plain-header:B", request("A", "1%2C2", "B", "3"), "1%252C2,3", nil},
		{"plain-header:A,plain-header:B", request("A", "1"), "", ErrMissing},
		{long, request(), Shorten(long), nil},
	} {
		s, err := Parse(c.source)
		require.NoError(t, err)
		key, err := s.Key(c.from)
		require.Equal(t, c.err, err, c.source)
		require.Equal(t, c.key, key, c.source)
	}
	for _, wrong := range []string{"header:", "ip,cookie:", "ip-header:"} {
		_, err := Parse(wrong)
		require.ErrorContains(t, err, "needs a name", wrong)
	}
	for _, wrong := range []string{"ip/0", "ip/129", "ip/", "api,ip/99999999999999999999", "ip-header:X-Real-IP/129", "ip-header:X/a"} {
		_, err := Parse(wrong)
		require.ErrorContains(t, err, ": an IPv6 network has 1 to 128 bits", wrong)
	}
	for wrong, want := range map[string]string{
		"heder:X-Api-Key": `"heder:X-Api-Key" is no word: write header:NAME, or text: before a text`,
		" Cookie:s":       `" Cookie:s" is no word: write cookie:NAME`,
		"a,IP/56":         `"IP/56" is no word: write ip/56, or text: before a text`,
		"HOST":            `"HOST" is no word: write host`,
		"ip,jwt:sub":      `"jwt:sub" is no word: before a colon is header, cookie, plain-header,`,
		"ip,,path":        "a part is empty",
	} {
		_, err := Parse(wrong)
		require.ErrorContains(t, err, want)
	}
}

// TestCredentials: a key does not show a header or a cookie. Its hash depends on the secret and on every byte.
func TestCredentials(t *testing.T) {
	key := func(source, secret string, headers ...string) string {
		s, err := Parse(source)
		require.NoError(t, err)
		r := request(headers...)
		r.Secret = []byte(secret)
		key, err := s.Key(r)
		require.NoError(t, err)
		return key
	}
	token := "Bearer " + strings.Repeat("x", 5000)
	require.Equal(t, "hmac:606592c9b1e6d428c9a5e9be1d1bfacd", key("header:Authorization", "s", "Authorization", "Bearer sk-secret123"))
	require.Equal(t, key("header:Authorization", "s", "Authorization", token), key("header:Authorization", "s", "Authorization", token))
	require.NotEqual(t, key("header:Authorization", "s", "Authorization", token), key("header:Authorization", "s", "Authorization", token+"x"))
	require.NotEqual(t, key("header:Authorization", "s", "Authorization", token), key("header:Authorization", "t", "Authorization", token))
	require.Equal(t, key("header:A", "s", "A", "v"), key("cookie:a", "s", "Cookie", "a=v"))
	require.Equal(t, "10.0.0.1,"+key("header:A", "", "A", "v"), key("ip,header:A", "", "A", "v", "X-Forwarded-For", "10.0.0.1"))
}

// TestSpellings: all spellings of a request that a server may route to one place have one key.
func TestSpellings(t *testing.T) {
	for _, c := range []struct {
		source, header, key string
		spellings           []string
	}{
		{"path", "X-Forwarded-Uri", "/login", []string{
			"/login", "/login?a", "/login#i", "/login%23i", "/login?#", "/Login", "/LOGIN/", "//login", "/./login", "/x/../login", "/x/%2e%2E/login", "/%6cogin",
			"/login%2F", "/%2Flogin", "/login;x", "/login;a=1;b=2", "/login%3Bx", "/x/..;/login", "/;/login", `/x\..\login`, "/login/.", "login",
			"http://shop/login", "https://user@shop:8443/Login?x", "/../../login",
		}},
		{"path", "X-Forwarded-Uri", "/", []string{"/", "//", "/?x", "*/..", "http://shop", "http://shop/", "http://shop?r=/z", "http://shop#/z", ";x", "/.", "/..", "#", "?"}},
		{"path", "X-Forwarded-Uri", "/a%zzb%", []string{"/a%zzb%", "/%61%zzb%", "/A%zz%62%"}},
		{"path", "X-Forwarded-Uri", "/to/http:/x", []string{"/to/http://x"}},
		{"path:case", "X-Forwarded-Uri", "/Login", []string{"/Login", "/Login;x", "/%4cogin#"}},
		{"host", "X-Forwarded-Host", "example.com", []string{
			"example.com", "EXAMPLE.com", "example.com:1", "example.com:2", "example.com.", "example.com.:80", "example.com:", "example.com:x", "example.com..",
			"user@example.com", "user:word@example.com:443",
		}},
		{"host", "X-Forwarded-Host", "[2001:db8::1]", []string{"[2001:db8::1]", "[2001:DB8:0::1]:443", "2001:db8::1", "[2001:db8::1%25eth0]:80"}},
		{"host", "X-Forwarded-Host", "10.0.0.1", []string{"10.0.0.1", "10.0.0.1:80", "[::ffff:10.0.0.1]:80"}},
		{"host", "X-Forwarded-Host", "xn--bcher-kva.example", []string{"xn--bcher-kva.example", "XN--Bcher-KVA.example."}},
		{"method", "X-Forwarded-Method", "GET", []string{"GET", "get", "Get"}},
		{"method", "X-Forwarded-Method", "OTHER", []string{"AAAA", "AAAB", "PROPFIND"}},
		{"plain-header:Authorization", "Authorization", "bearer Ab", []string{"Bearer Ab", "bearer Ab", "BEARER   Ab", "Bearer\tAb "}},
		{"plain-cookie:s", "Cookie", "Abc", []string{"s=Abc", " s = Abc ;", `s="Abc"`, "s=%41bc", `s="\101b\c"`, `s="A%62c`, "a=1; s=Abc; b"}},
	} {
		for _, spelling := range c.spellings {
			s, err := Parse(c.source)
			require.NoError(t, err)
			key, err := s.Key(request(c.header, spelling))
			require.NoError(t, err, spelling)
			require.Equal(t, c.key, key, "%s %s", c.source, spelling)
		}
	}
	for _, c := range [][]string{
		{"path", "X-Forwarded-Uri", "/a%ff", "/a%fe", "/a%ef%bf%bd", "/a\xfd"}, {"host", "X-Forwarded-Host", "a\xff", "a\xfe", "a\ufffd"},
		{"plain-header:Authorization", "Authorization", "\xff a", "\xfe a", "\ufffd a"},
		{"ip,path", "X-Forwarded-Uri", "/%FFa", "/%FEa"},
	} {
		s, err := Parse(c[0])
		require.NoError(t, err)
		for i, spelling := range c[2:] { // bytes that are no UTF-8 stay as they are
			for _, other := range c[2+i+1:] {
				first, err := s.Key(request(c[1], spelling, "X-Forwarded-For", "10.0.0.1"))
				require.NoError(t, err)
				second, err := s.Key(request(c[1], other, "X-Forwarded-For", "10.0.0.1"))
				require.NoError(t, err)
				require.NotEqual(t, first, second, "%s: %q and %q", c[0], spelling, other)
			}
		}
	}
	s, err := Parse("path")
	require.NoError(t, err)
	key, err := s.Key(request("X-Forwarded-Uri", "/A%FF"))
	require.NoError(t, err)
	require.Equal(t, "/a\xff", key)
	for source, headers := range map[string][]string{"host": {"X-Forwarded-Host", "a, b"}, "path": {"X-Forwarded-Uri", "/a", "X-Forwarded-Uri", "/a"}} {
		s, err := Parse(source)
		require.NoError(t, err)
		_, err = s.Key(request(headers...))
		require.Equal(t, ErrTwice, err, source)
	}
	for _, none := range []string{":80", ".", "@"} {
		s, err := Parse("host")
		require.NoError(t, err)
		_, err = s.Key(request("X-Forwarded-Host", none))
		require.Equal(t, ErrMissing, err, none)
	}
}

// TestOwnHeaders: headers that a client may invent do not change a key. A proxy that forwards a request itself sets no headers.
func TestOwnHeaders(t *testing.T) {
	own := request("X-Original-Uri", "/x", "X-Original-Url", "/x", "X-Rewrite-Url", "/x", "X-Original-Method", "PUT", "X-Http-Method-Override", "PUT",
		"X-Host", "x", "X-Forwarded-Server", "x", "X-Forwarded-Host", "x", "X-Forwarded-Method", "PUT", "X-Forwarded-Uri", "/x")
	own.Path = "/mine"
	for source, key := range map[string]string{"path": "/mine", "host": "limits", "method": "GET", "plain-header:host": "limits"} {
		s, err := Parse(source)
		require.NoError(t, err)
		got, err := s.Key(own)
		require.NoError(t, err)
		require.Equal(t, key, got, source)
	}
}

// TestAddresses: behind n proxies the n-th address from the right counts. What the client has written to the left of it
// changes nothing.
func TestAddresses(t *testing.T) {
	for _, c := range []struct {
		proxies int
		headers []string
		key     string
	}{
		{0, nil, "192.0.2.9"},
		{0, []string{"10.0.0.1"}, "192.0.2.9"},
		{1, []string{"10.0.0.1"}, "10.0.0.1"},
		{1, []string{"6.6.6.6, 10.0.0.1"}, "10.0.0.1"},
		{1, []string{"6.6.6.6,10.0.0.1 "}, "10.0.0.1"},
		{1, []string{"6.6.6.6", "10.0.0.1"}, "10.0.0.1"},
		{2, []string{"6.6.6.6, 10.0.0.1, 10.0.0.2"}, "10.0.0.1"},
		{2, []string{"6.6.6.6, 10.0.0.1", "10.0.0.2"}, "10.0.0.1"},
		{3, []string{"7.7.7.7", "6.6.6.6, 10.0.0.1", "10.0.0.2"}, "6.6.6.6"},
		{1, []string{"10.0.0.1:4711"}, "10.0.0.1"},
		{1, []string{"::ffff:10.0.0.1"}, "10.0.0.1"},
		{1, []string{"2001:db8:1:2:3:4:5:6"}, "2001:db8:1:2::/64"},
		{1, []string{"[2001:db8:1:2:9::1]:80"}, "2001:db8:1:2::/64"},
		{1, []string{"[2001:db8::1]"}, "2001:db8::/64"},
		{1, []string{"fe80::1%eth0"}, "fe80::/64"},
		{1, nil, ""},
		{1, []string{""}, ""},
		{1, []string{"unknown"}, ""},
		{2, []string{"10.0.0.1"}, ""},
	} {
		r := request()
		r.Proxies, r.Header["X-Forwarded-For"] = c.proxies, c.headers
		s, err := Parse("ip")
		require.NoError(t, err)
		key, err := s.Key(r)
		require.Equal(t, c.key, key, "%v", c)
		if c.key == "" {
			require.ErrorIs(t, err, ErrMissing)
		}
	}
}

// FuzzKeys: no text of a source and no header makes a panic or a long key. Two different pairs of values never have the same
// key.
func FuzzKeys(f *testing.F) {
	f.Add("header:A,cookie:b,ip,path", "1", "2", "10.0.0.1, 2001:db8::1", "/a?b")
	f.Fuzz(func(t *testing.T, source, a, b, addresses, uri string) {
		r := &Request{Request: &http.Request{Header: http.Header{"A": {a}, "B": {b}, "X-Forwarded-For": {addresses}, "X-Forwarded-Uri": {uri}, "Cookie": {b}}, URL: &url.URL{}}, Trust: Trust{Proxies: 2}}
		if s, err := Parse(source); err == nil {
			if key, err := s.Key(r); err == nil {
				require.LessOrEqual(t, len(key), MaxKey)
			}
		}
		pair, err := Parse("plain-header:A,plain-header:B")
		require.NoError(t, err)
		key, err := pair.Key(r)
		r.Header["A"], r.Header["B"] = []string{b}, []string{a}
		swapped, err2 := pair.Key(r)
		if err == nil && err2 == nil && a != b {
			require.NotEqual(t, key, swapped)
		}
	})
}

// TestPartsAreBounded: each part may read a whole header, so a key has few of them.
func TestPartsAreBounded(t *testing.T) {
	_, err := Parse(strings.TrimSuffix(strings.Repeat("path,", MaxParts), ","))
	require.NoError(t, err)
	_, err = Parse(strings.Repeat("path,", MaxParts) + "ip")
	require.EqualError(t, err, "a key has at most 16 parts")
}
