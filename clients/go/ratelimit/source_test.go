package ratelimit

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// vector is a request of ../../keys.json, and its key. The packages of all languages and the server make the same one.
type vector struct {
	About, Source, Trust, Secret, Remote string
	Headers                              [][2]string
	Key                                  string // "" if it is missing
	Refused                              string // "everywhere", or "by packages", which want "text:" before a text
}

func readVectors(t *testing.T) (vectors []vector) {
	text, err := os.ReadFile("../../keys.json")
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(text, &vectors))
	require.Greater(t, len(vectors), 80)
	return vectors
}

// request returns the request of a vector.
func (v *vector) request(target string) *http.Request {
	r := httptest.NewRequest(http.MethodGet, target, nil)
	r.RemoteAddr = v.Remote
	for _, h := range v.Headers {
		r.Header.Add(h[0], strings.Trim(asBytes(h[1]), " \t"))
	}
	return r
}

func TestVectors(t *testing.T) {
	for _, v := range readVectors(t) {
		r := v.request("/")
		key, err := Keys{Proxies: v.Trust, Secret: v.Secret}.Of(v.Source)
		if v.Refused != "" {
			require.ErrorContains(t, err, "ratelimit: ", v.About)
			continue
		}
		require.NoError(t, err, v.About)
		require.Equal(t, v.Key, shorten(key(r)), v.About)
	}
}

// TestVectorsOverHTTP shows that the server itself makes the same keys. It leaves out those that depend on the address of the
// connection or on the secret.
func TestVectorsOverHTTP(t *testing.T) {
	s := start(t)
	s.do("CL.RULE", "SET", "api", "CL.WINDOW", 1, 60)
	asked := 0
	for _, v := range readVectors(t) {
		if v.Trust == "0" || v.Key == "192.0.2.9" || v.Remote != "192.0.2.9:1234" || strings.Contains(v.Key, "hmac:") {
			continue
		}
		if strings.Contains(v.Trust, ".") {
			v.Trust += " 127.0.0.1"
		}
		s.do("CONFIG", "SET", "http-trusted-proxies", v.Trust)
		r := v.request(s.Web + "/explain/api?key=" + url.QueryEscape(v.Source))
		r.RequestURI = ""
		reply, err := http.DefaultClient.Do(r)
		require.NoError(t, err)
		var body struct{ Limits []struct{ Key string } }
		require.NoError(t, json.NewDecoder(reply.Body).Decode(&body))
		require.NoError(t, reply.Body.Close())
		if asked++; v.Key == "" {
			require.Equal(t, http.StatusBadRequest, reply.StatusCode, v.About)
			continue
		}
		require.Equal(t, http.StatusOK, reply.StatusCode, v.About)
		require.Equal(t, v.Key, body.Limits[0].Key, v.About)
	}
	require.Greater(t, asked, 60)
}

// asBytes returns the bytes of a text that has a character for each of them.
func asBytes(text string) string {
	var b []byte
	for _, c := range text {
		b = append(b, byte(c))
	}
	return string(b)
}

func TestWrongSources(t *testing.T) {
	for source, want := range map[string]string{
		"header:": "header: needs a name", "ip,cookie:": "cookie: needs a name", "ip-header:": "ip-header: needs a name",
		"ip/129": "ip/129: an IPv6 network has 1 to 128 bits", "ip/0": "1 to 128 bits", "ip/": "1 to 128 bits", "ip-header:X/a": "1 to 128 bits",
		"ip,IP": "IP is no word of a key: write ip", "header": "header is no word of a key: write header:NAME", "ip,": "a part of a key is empty",
		"hdr:X-Api-Key": "hdr:X-Api-Key is no word of a key: before a colon is header, cookie,", "api": "api is the same key for all requests",
		"ip,path": "path is for the HTTP port: take the route of your framework",
	} {
		_, err := Keys{}.Of(source)
		require.ErrorContains(t, err, want)
	}
	for _, proxies := range []string{"17", "-1", "x", " ", "10.0.0.0/33", "1 10.0.0.0/8"} {
		_, err := Keys{Proxies: proxies}.Of("ip")
		require.ErrorIs(t, err, errProxies, proxies)
	}
	for _, proxies := range []string{"0.0.0.0/0", "10.0.0.0/8 ::/0"} {
		_, err := Keys{Proxies: proxies}.Of("ip")
		require.ErrorIs(t, err, errEverybody, proxies)
	}
	r := httptest.NewRequest(http.MethodGet, "/", nil)
	r.Header["A"] = []string{"1", "2"}
	key, err := Keys{}.Of("header:A")
	require.NoError(t, err)
	require.Empty(t, key(r), "it is unknown which one the service reads")
}
