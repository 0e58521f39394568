package proxies

import (
	"fmt"
	"net/http"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// TestNginxSymptoms follows the section on nginx, and makes each mistake of its table.
func TestNginxSymptoms(t *testing.T) {
	s := newSite(t)
	s.nginx(true)
	status := func() int { return get(http.DefaultClient, fmt.Sprintf("http://127.0.0.1:%d/", s.front)) }
	says := func(line string) {
		t.Helper()
		require.Eventually(t, func() bool { return strings.Contains(s.proxy.Printed(), line) }, patience, 10*time.Millisecond, line)
	}

	require.Equal(t, 503, status(), "there is no rule")
	says("auth request unexpected status: 404")

	require.EqualValues(t, "OK", s.do("CL.RULE", "SET", "api", "CL.THROTTLE", 4, 5, 60))
	for range 5 {
		require.Equal(t, 200, status())
	}
	require.Equal(t, 429, status())

	without := newSite(t)
	without.key = "header:X-Api-Key"
	without.do("CL.RULE", "SET", "api", "CL.WINDOW", 1, 60)
	without.nginx(true)
	require.Equal(t, 503, without.raw(spelling{line: "GET /"}), "the key is missing")
	require.Eventually(t, func() bool {
		return strings.Contains(without.proxy.Printed(), "auth request unexpected status: 400")
	}, patience, 10*time.Millisecond)

	s.cellserver.Stop(syscall.SIGTERM)
	require.Equal(t, 200, status(), "cellserver does not run")
	says(`subrequest: "/limit"`)

	s.startCellserver("--http-token", "secret")
	require.Equal(t, 401, status(), "the token is missing")
}
