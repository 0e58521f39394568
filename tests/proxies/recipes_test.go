package proxies

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"
)

// ask sends a request to cellserver as a proxy does, and returns its status.
func (s *site) ask(method, target string, headers ...string) int {
	s.t.Helper()
	r, err := http.NewRequest(method, fmt.Sprintf("http://127.0.0.1:%d%s", s.web, target), nil)
	require.NoError(s.t, err)
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	reply, err := http.DefaultClient.Do(r)
	require.NoError(s.t, err)
	reply.Body.Close()
	return reply.StatusCode
}

// find returns the value of a field at any depth of a document.
func find(node *yaml.Node, name string) string {
	for i, one := range node.Content {
		if node.Kind == yaml.MappingNode && i%2 == 0 && one.Value == name {
			return node.Content[i+1].Value
		}
		if found := find(one, name); found != "" {
			return found
		}
	}
	return ""
}

// TestTraefik sends what ForwardAuth sends: GET to its address, with the request of the client in headers.
//
// Source: https://doc.traefik.io/traefik/middlewares/http/forwardauth/
func TestTraefik(t *testing.T) {
	var document yaml.Node
	require.NoError(t, yaml.Unmarshal([]byte(recipe(t, "traefik")), &document))
	target, found := strings.CutPrefix(find(&document, "address"), "http://127.0.0.1:7380")
	require.True(t, found)
	s := newSite(t)
	s.do("CL.RULE", "SET", "api", "CL.WINDOW", 2, 3600)
	forwarded := []string{"X-Forwarded-For", "10.0.0.1", "X-Forwarded-Method", "POST", "X-Forwarded-Uri", "/a?key=b", "X-Forwarded-Host", "shop", "X-Forwarded-Proto", "http"}
	require.Equal(t, []int{200, 200, 429}, []int{s.ask("GET", target, forwarded...), s.ask("GET", target, forwarded...), s.ask("GET", target, forwarded...)})
}

// TestEnvoy sends what ext_authz sends: the method of the client, and its path and query after path_prefix.
//
// Source: https://www.envoyproxy.io/docs/envoy/latest/configuration/http/http_filters/ext_authz_filter
func TestEnvoy(t *testing.T) {
	var document yaml.Node
	require.NoError(t, yaml.Unmarshal([]byte(recipe(t, "envoy")), &document))
	prefix := find(&document, "path_prefix")
	require.NotEmpty(t, prefix)
	s := newSite(t)
	s.do("CL.RULE", "SET", "api", "CL.WINDOW", 2, 3600)
	var statuses []int
	for _, request := range []string{"GET /", "DELETE /shop/1?key=other&peek&quantity=0", "POST /%2e%2e/check/other?key=a"} {
		method, path, _ := strings.Cut(request, " ")
		statuses = append(statuses, s.ask(method, prefix+path, "X-Forwarded-For", "6.6.6.6, 10.0.0.1"))
	}
	require.Equal(t, []int{200, 200, 429}, statuses)
	require.Equal(t, "2", s.do("GET", "api:{10.0.0.1}:window"))
	require.Equal(t, 429, s.ask("OPTIONS", prefix+"*", "X-Forwarded-For", "10.0.0.1"), "the target of OPTIONS is no part of the key")
}

// TestNginxByAddressAndKey: a client without an API key is limited by its address, and so is one that invents keys.
func TestNginxByAddressAndKey(t *testing.T) {
	s := newSite(t)
	s.variant = "by address and by API key"
	s.do("CL.RULE", "SET", "address", "CL.WINDOW", 6, 3600)
	s.do("CL.RULE", "SET", "client", "CL.WINDOW", 2, 3600)
	s.nginx(true)
	with := func(key string) int { return s.raw(spelling{"GET /", []string{"X-Api-Key: " + key}}) }
	without := func() int { return s.raw(spelling{line: "GET /"}) }
	require.Equal(t, []int{200, 200, 200}, []int{without(), without(), without()})
	require.Equal(t, []int{200, 200, 429}, []int{with("a"), with("a"), with("a")})
	require.Equal(t, []int{200, 429, 429, 429}, []int{with("b"), with("c"), without(), with("")})
	require.Equal(t, "6", s.do("GET", "address:{127.0.0.1}:window"))
	require.Equal(t, int64(6), s.served.Load())
}

// TestNginxShowsWhatIsLeft: a client reads its limit in each reply, also if the service refuses a wrong password.
func TestNginxShowsWhatIsLeft(t *testing.T) {
	s := newSite(t)
	s.do("CL.RULE", "SET", "api", "CL.WINDOW", 3, 3600)
	s.nginx(true)
	for i, path := range []string{"/", "/missing", "/missing", "/missing"} {
		r, err := http.Get(fmt.Sprintf("http://127.0.0.1:%d%s", s.front, path))
		require.NoError(t, err)
		r.Body.Close()
		require.Equal(t, []int{200, 404, 404, 429}[i], r.StatusCode)
		require.Contains(t, r.Header.Get("RateLimit"), fmt.Sprintf(`"api";r=%d;t=`, max(0, 2-i)))
		require.Equal(t, `"api";q=3;w=3600`, r.Header.Get("RateLimit-Policy"))
	}
}
