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
	return &Request{Request: r, Proxies: 1}
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
		{"", request(), "", nil},
		{"a,b", request(), "a,b", nil},
		{"text:ip", request(), "ip", nil},
		{"text:a,ip", request(), "a,ip", nil},
		{"header", request(), "header", nil},
		{"header:X-Api-Key", request("X-Api-Key", "k1"), "k1", nil},
		{"header:x-api-key", request("X-Api-Key", "k1"), "k1", nil},
		{"header:X-Api-Key", request(), "", ErrMissing},
		{"header:X-Api-Key", request("X-Api-Key", ""), "", ErrMissing},
		{"header:X-Api-Key", request("X-Api-Key", "a", "X-Api-Key", "b"), "", ErrTwice},
		{"header:X-Api-Key", request("X-Api-Key", long), "", ErrLong},
		{"header:Host", request(), "limits", nil},
		{"cookie:session", request("Cookie", "a=1; session=s1"), "s1", nil},
		{"cookie:session", request("Cookie", "a=1"), "", ErrMissing},
		{"cookie:session", request("Cookie", "session=1; session=2"), "", ErrTwice},
		{"path", request("X-Forwarded-Uri", "/a/b?c=d"), "/a/b", nil},
		{"path", request("X-Forwarded-Uri", "//a/./x/..//%62"), "/a/b", nil},
		{"path", request(), "", ErrMissing},
		{"path", &Request{Request: request("X-Forwarded-Uri", "/other").Request, Path: "/mine"}, "/mine", nil},
		{"method", request("X-Forwarded-Method", "PUT"), "PUT", nil},
		{"method", request(), "GET", nil},
		{"host", request("X-Forwarded-Host", "Shop.Example"), "shop.example", nil},
		{"api,ip", request("X-Forwarded-For", "10.1.1.1"), "api,10.1.1.1", nil},
		{"header:A,header:B", request("A", "1,2", "B", "3"), "1%2C2,3", nil},
		{"header:A,header:B", request("A", "1", "B", "2,3"), "1,2%2C3", nil},
		{"header:A,header:B", request("A", "1%2C2", "B", "3"), "1%252C2,3", nil},
		{"header:A,header:B", request("A", "1"), "", ErrMissing},
		{long, request(), "", ErrLong},
	} {
		s, err := Parse(c.source)
		require.NoError(t, err)
		key, err := s.Key(c.from)
		require.Equal(t, c.err, err, c.source)
		require.Equal(t, c.key, key, c.source)
	}
	for _, wrong := range []string{"header:", "ip,cookie:"} {
		_, err := Parse(wrong)
		require.ErrorContains(t, err, "needs a name", wrong)
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
			require.Equal(t, ErrMissing, err)
		}
	}
}

// FuzzKeys: no text of a source and no header makes a panic or a long key. Two different pairs of values never have the same
// key.
func FuzzKeys(f *testing.F) {
	f.Add("header:A,cookie:b,ip,path", "1", "2", "10.0.0.1, 2001:db8::1", "/a?b")
	f.Fuzz(func(t *testing.T, source, a, b, addresses, uri string) {
		r := &Request{Request: &http.Request{Header: http.Header{"A": {a}, "B": {b}, "X-Forwarded-For": {addresses}, "X-Forwarded-Uri": {uri}, "Cookie": {b}}, URL: &url.URL{}}, Proxies: 2}
		if s, err := Parse(source); err == nil {
			if key, err := s.Key(r); err == nil {
				require.LessOrEqual(t, len(key), MaxKey)
			}
		}
		pair, err := Parse("header:A,header:B")
		require.NoError(t, err)
		key, err := pair.Key(r)
		r.Header["A"], r.Header["B"] = []string{b}, []string{a}
		swapped, err2 := pair.Key(r)
		if err == nil && err2 == nil && a != b {
			require.NotEqual(t, key, swapped)
		}
	})
}
