package keysource

import (
	"encoding/json"
	"net/http/httptest"
	"net/netip"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// vector is one request of clients/keys.json, and its key. The packages of clients/ make the same keys.
type vector struct {
	About, Source, Trust, Secret, Remote string
	Headers                              [][2]string
	Key                                  *string // nil if it is missing
	Refused                              string  // "everywhere", or "by packages", where a text needs "text:"
}

func TestVectors(t *testing.T) {
	text, err := os.ReadFile("../../clients/keys.json")
	require.NoError(t, err)
	var vectors []vector
	require.NoError(t, json.Unmarshal(text, &vectors))
	require.Greater(t, len(vectors), 80)
	for _, v := range vectors {
		r := &Request{Request: httptest.NewRequest("GET", "/", nil), Trust: Trust{Secret: []byte(v.Secret)}}
		r.RemoteAddr = v.Remote
		for _, h := range v.Headers {
			r.Header.Add(h[0], strings.Trim(asBytes(h[1]), " \t"))
		}
		if r.Proxies, err = strconv.Atoi(v.Trust); err != nil {
			r.Networks = networks(t, v.Trust)
		}
		s, err := Parse(v.Source)
		if v.Refused == "everywhere" {
			require.Error(t, err, v.About)
			continue
		}
		require.NoError(t, err, v.About)
		key, err := s.Key(r)
		if v.Key == nil {
			require.Error(t, err, "%s: %s", v.About, key)
			continue
		}
		require.NoError(t, err, v.About)
		require.Equal(t, *v.Key, key, v.About)
	}
}

// asBytes returns the bytes of a text that has a character for each of them.
func asBytes(text string) string {
	var b []byte
	for _, c := range text {
		b = append(b, byte(c))
	}
	return string(b)
}

func networks(t *testing.T, text string) (all []netip.Prefix) {
	t.Helper()
	for word := range strings.FieldsSeq(text) {
		if !strings.Contains(word, "/") {
			word += "/32"
		}
		all = append(all, netip.MustParsePrefix(word))
	}
	return all
}

// TestManyHops: a header of the longest size takes little time, whatever the proxies are.
func TestManyHops(t *testing.T) {
	r := request("X-Forwarded-For", strings.Repeat("10.0.0.1,", 4000), "Forwarded", strings.Repeat(`for="10.0.0.1",`, 2000))
	r.RemoteAddr, r.Networks = "10.0.0.2:1", networks(t, "10.0.0.0/8")
	for _, source := range []string{"ip", "ip-header:Forwarded"} {
		s, err := Parse(source)
		require.NoError(t, err)
		key, err := s.Key(r)
		require.NoError(t, err)
		require.Equal(t, "10.0.0.1", key)
	}
}
