package app

import (
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"testing"

	"cellserver/internal/porttest"
	"cellserver/server"

	"github.com/stretchr/testify/require"
)

func TestHealthOfAServer(t *testing.T) {
	ports := []int{porttest.Free(t), porttest.Free(t)}
	in, err := open(t, "--appendonly", "no", "--metrics-port", strconv.Itoa(ports[0]), "--http-port", strconv.Itoa(ports[1]), "--http-token", "secret")
	require.NoError(t, err)
	both := func(path string, status int, body string) {
		t.Helper()
		for _, port := range ports {
			got, text := ask(t, port, path)
			require.Equal(t, []any{status, body}, []any{got, text})
		}
	}
	both("/healthz", http.StatusOK, "alive\n")
	both("/readyz", http.StatusServiceUnavailable, "loading: the server loads its data\n")

	in.run(t)
	in.waitServing(t)
	both("/readyz", http.StatusOK, "ready\n")
	in.server.SetCondition(server.Condition{LogFailed: "No space left on device", SaveFailed: true})
	both("/readyz", http.StatusServiceUnavailable, "persistence: the append-only file cannot be written: No space left on device\n"+
		"persistence: the last snapshot failed, and the server refuses writes\n")
	both("/healthz", http.StatusOK, "alive\n")
	in.phase.Store(stopping)
	status, body := ask(t, ports[0], "/readyz")
	require.Equal(t, http.StatusServiceUnavailable, status)
	require.Contains(t, body, "stopping: ")
	for _, port := range ports {
		answer, err := http.Post(fmt.Sprintf("http://127.0.0.1:%d/readyz", port), "text/plain", nil)
		require.NoError(t, err)
		answer.Body.Close()
		require.Equal(t, http.StatusMethodNotAllowed, answer.StatusCode)
	}
}

// TestReadyInACluster ends a majority of the nodes.
func TestReadyInACluster(t *testing.T) {
	c := newCluster(t)
	for _, n := range c.nodes {
		c.eventually("a node is not ready", func() bool { return len(n.notReady()) == 0 })
	}
	c.end(c.followers()[0])
	c.end(c.leader()) // a busy machine may have changed it meanwhile
	rest := c.nodes[slices.IndexFunc(c.nodes, func(n *instance) bool { return n != nil })]
	c.eventually("the last node still knows a leader", func() bool { return len(rest.notReady()) == 1 })
	require.Equal(t, []string{"cluster: no leader is known"}, rest.notReady())
}
