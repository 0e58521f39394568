package watching

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"cellserver/internal/porttest"

	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"
	"github.com/stretchr/testify/require"
)

// A server is a running cellserver, whose program the environment names.
type server struct {
	t       *testing.T
	port    string
	metrics string
	in      *bufio.Reader
	conn    net.Conn
}

// start starts a server. In a cluster it is the only node.
func start(t *testing.T, cluster bool) *server {
	t.Helper()
	rules := filepath.Join(t.TempDir(), "rules.yaml")
	require.NoError(t, os.WriteFile(rules, []byte("rules: {kept: {limits: CL.WINDOW 5 60}}\n"), 0o600))
	port := fmt.Sprint(porttest.Free(t))
	more := []string{"--rules-file", rules, "--maxmemory", "1gb", "--metrics-top-keys", "10",
		"--adaptive-metrics-keys", "search"}
	if cluster {
		more = append(more, "--cluster-enabled", "yes", "--cluster-nodes", "127.0.0.1:"+port)
	}
	return begin(t, port, more...)
}

// beside starts a sidecar.
func (s *server) beside() *server {
	return begin(s.t, fmt.Sprint(porttest.Free(s.t)), "--upstream", "127.0.0.1:"+s.port)
}

// begin starts a server with directives.
func begin(t *testing.T, port string, directives ...string) *server {
	t.Helper()
	program := os.Getenv("CELLSERVER")
	require.NotEmpty(t, program, "run tests/watching/run: it builds the server")
	s := &server{t: t, port: port, metrics: fmt.Sprint(porttest.Free(t))}
	args := append([]string{"--port", s.port, "--metrics-port", s.metrics, "--dir", t.TempDir()}, directives...)
	process := exec.Command(program, args...)
	require.NoError(t, process.Start())
	t.Cleanup(func() {
		_ = process.Process.Kill()
		_ = process.Wait()
	})
	require.Eventually(t, func() bool { return s.get("/readyz") == "ready\n" }, time.Minute, 10*time.Millisecond)
	var err error
	s.conn, err = net.Dial("tcp", "127.0.0.1:"+s.port)
	require.NoError(t, err)
	t.Cleanup(func() { _ = s.conn.Close() })
	s.in = bufio.NewReader(s.conn)
	return s
}

// get returns the body of a page of the metrics listener, or "".
func (s *server) get(path string) string {
	reply, err := http.Get("http://127.0.0.1:" + s.metrics + path)
	if err != nil {
		return ""
	}
	defer reply.Body.Close()
	body, err := io.ReadAll(reply.Body)
	require.NoError(s.t, err)
	return string(body)
}

// send sends a command and reads all lines of its reply until that of PING.
func (s *server) send(args ...string) {
	s.t.Helper()
	var b bytes.Buffer
	fmt.Fprintf(&b, "*%d\r\n", len(args))
	for _, arg := range args {
		fmt.Fprintf(&b, "$%d\r\n%s\r\n", len(arg), arg)
	}
	b.WriteString("PING\r\n")
	_, err := s.conn.Write(b.Bytes())
	require.NoError(s.t, err)
	for {
		line, err := s.in.ReadString('\n')
		require.NoError(s.t, err)
		if line == "+PONG\r\n" {
			return
		}
	}
}

// use gives every metric with labels a sample.
func (s *server) use() {
	s.send("CL.RULE", "SET", "api", "CL.WINDOW", "1", "60")
	s.send("CL.RULE", "SET", "shadow", "CL.WINDOW", "1", "60", "SHADOW")
	for range 3 {
		s.send("CL.CHECK", "api", "ann")
		s.send("CL.CHECK", "shadow", "ann")
		s.send("CL.THROTTLE", "user", "0", "1", "60")
	}
	s.send("ZADD", "user", "1", "member")
	s.send("GET", "nobody")
}

// families parses the metrics with the parser of Prometheus.
func (s *server) families() map[string]*dto.MetricFamily {
	s.t.Helper()
	parser := expfmt.NewTextParser(model.LegacyValidation)
	families, err := parser.TextToMetricFamilies(strings.NewReader(s.get("/metrics")))
	require.NoError(s.t, err)
	return families
}
