package app

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"strconv"
	"testing"

	"cellserver/internal/porttest"
	"cellserver/resp/resptest"
	"cellserver/server/report"

	"github.com/stretchr/testify/require"
)

// scrape gets a path from the exporter.
func scrape(t *testing.T, address, path string) (status int, kind, body string) {
	t.Helper()
	client := http.Client{Timeout: timeout, Transport: &http.Transport{DisableKeepAlives: true}}
	answer, err := client.Get("http://" + address + path)
	require.NoError(t, err)
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	require.NoError(t, err)
	return answer.StatusCode, answer.Header.Get("Content-Type"), string(text)
}

func TestMetricsAreServed(t *testing.T) {
	in := start(t, "--metrics-port", strconv.Itoa(porttest.Free(t)), "--metrics-top-keys", "10")
	c := in.dial(t)
	c.Do("CL.THROTTLE", "k", 0, 1, 60)
	c.Do("CL.THROTTLE", "k", 0, 1, 60)
	address := in.exporter.Plain.Address()
	status, kind, body := scrape(t, address, "/metrics")
	require.Equal(t, []any{http.StatusOK, report.MetricsType}, []any{status, kind})
	require.Contains(t, body, "\n"+`cellserver_decisions_total{command="cl.throttle",outcome="limited"} 1`+"\n")
	require.Contains(t, body, "\n"+`cellserver_limited_keys{db="0",key="k"} 1`+"\n")
	for _, path := range []string{"/", "/metrics/x", "/debug/pprof/"} {
		status, _, _ = scrape(t, address, path)
		require.Equal(t, http.StatusNotFound, status, path)
	}
	answer, err := http.Post("http://"+address+"/metrics", "text/plain", nil)
	require.NoError(t, err)
	answer.Body.Close()
	require.Equal(t, http.StatusMethodNotAllowed, answer.StatusCode)
}

// TestMetricOfUnsavedChanges: a snapshot sets the changes since the last save to zero, as in INFO.
func TestMetricOfUnsavedChanges(t *testing.T) {
	in := start(t, "--metrics-port", strconv.Itoa(porttest.Free(t)))
	c := in.dial(t)
	for _, want := range []int{2, 1} {
		for i := range want {
			ok(t, c, "SET", fmt.Sprint("k", i), want)
		}
		_, _, body := scrape(t, in.exporter.Plain.Address(), "/metrics")
		require.Contains(t, body, fmt.Sprintf("\ncellserver_changes_since_save %d\n", want))
		ok(t, c, "SAVE")
	}
}

func TestConfigSetMovesTheExporter(t *testing.T) {
	in := start(t)
	require.Empty(t, in.exporter.Plain.Address(), "off by default")
	c := in.dial(t)
	first, second := porttest.Free(t), porttest.Free(t)
	ok(t, c, "CONFIG", "SET", "metrics-port", first)
	status, _, _ := scrape(t, fmt.Sprintf("127.0.0.1:%d", first), "/metrics")
	require.Equal(t, http.StatusOK, status)
	ok(t, c, "CONFIG", "SET", "metrics-port", second)
	status, _, _ = scrape(t, fmt.Sprintf("127.0.0.1:%d", second), "/metrics")
	require.Equal(t, http.StatusOK, status)
	requireNoListener(t, first)

	taken, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer taken.Close()
	port := taken.Addr().(*net.TCPAddr).Port
	refusal := c.Do("CONFIG", "SET", "metrics-port", port)
	require.Equal(t, resptest.Error(fmt.Sprintf("ERR CONFIG SET failed (possibly related to argument 'metrics-port') - Unable to listen there: "+
		"cannot listen on 127.0.0.1:%d: address already in use: stop what listens there, or choose another port with --metrics-port", port)), refusal)
	status, _, _ = scrape(t, fmt.Sprintf("127.0.0.1:%d", second), "/metrics")
	require.Equal(t, http.StatusOK, status, "the exporter keeps its address")

	ok(t, c, "CONFIG", "SET", "metrics-port", 0)
	requireNoListener(t, second)
}

// TestMetricsForForeignPages: a page of another site, whose name has the address of this machine, does not see names of keys.
func TestMetricsForForeignPages(t *testing.T) {
	port := porttest.Free(t)
	in := start(t, "--metrics-port", strconv.Itoa(port))
	c := in.dial(t)
	see := func(want int, host string) {
		t.Helper()
		r, err := http.NewRequest(http.MethodGet, fmt.Sprintf("http://127.0.0.1:%d/metrics", port), nil)
		require.NoError(t, err)
		r.Host = fmt.Sprint(host, ":", port)
		client := http.Client{Timeout: timeout, Transport: &http.Transport{DisableKeepAlives: true}}
		answer, err := client.Do(r)
		require.NoError(t, err)
		require.NoError(t, answer.Body.Close())
		require.Equal(t, want, answer.StatusCode, host)
	}
	see(http.StatusOK, "localhost")
	see(http.StatusMisdirectedRequest, "evil.test")
	see(http.StatusMisdirectedRequest, "box.lan")
	ok(t, c, "CONFIG", "SET", "http-hosts", "box.lan")
	see(http.StatusOK, "box.lan")
	see(http.StatusMisdirectedRequest, "evil.test")
	ok(t, c, "CONFIG", "SET", "metrics-bind", "0.0.0.0")
	see(http.StatusOK, "evil.test")
}

// requireNoListener requires that no process listens on a port.
func requireNoListener(t *testing.T, port int) {
	t.Helper()
	_, err := net.Dial("tcp", fmt.Sprintf("127.0.0.1:%d", port))
	require.ErrorContains(t, err, "refused")
}

func TestMetricsPortInUse(t *testing.T) {
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer taken.Close()
	in, err := open(t, "--metrics-port", strconv.Itoa(taken.Addr().(*net.TCPAddr).Port))
	require.ErrorContains(t, err, "--metrics-port")
	require.Nil(t, in.App)
}

func TestMetricsEndWithTheServer(t *testing.T) {
	port := porttest.Free(t)
	in := start(t, "--metrics-port", strconv.Itoa(port))
	in.stop()
	in.wait(t)
	requireNoListener(t, port)
}
