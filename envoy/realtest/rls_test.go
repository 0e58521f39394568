package realtest

import (
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"cellserver/internal/porttest"
	"cellserver/internal/processtest"

	ratelimit "github.com/envoyproxy/go-control-plane/envoy/service/ratelimit/v3"
	"github.com/stretchr/testify/require"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
)

// The kinds of services.
const (
	ofFloor  = "floor"    // a constant answer
	embedded = "embedded" // ours alone
	overRESP = "resp"     // ours with a cellserver
	onRedis  = "redis"    // ours with a Redis
	ofTheirs = "theirs"   // that of Envoy with a Redis
)

// theirs is the path of their program, if there is one.
var theirs string

// An rls is a service that runs, with its store.
type rls struct {
	ratelimit.RateLimitServiceClient

	kind string
	http string // its URL
	pids []int  // of all its processes
}

// startRLS starts a service with files of rules, by their names.
func startRLS(t testing.TB, kind string, rules map[string]string, environ ...string) *rls {
	s := &rls{kind: kind}
	address := fmt.Sprint("127.0.0.1:", porttest.Free(t))
	if kind == ofFloor {
		self := exec.Command(os.Args[0])
		self.Env = append(os.Environ(), floorAt+"="+address)
		s.start(t, self, address)
	} else {
		dir, port := t.TempDir(), porttest.Free(t)
		s.http = fmt.Sprint("http://127.0.0.1:", port)
		require.NoError(t, os.Mkdir(filepath.Join(dir, "config"), 0o755))
		for name, text := range rules {
			require.NoError(t, os.WriteFile(filepath.Join(dir, "config", name), []byte(text), 0o600))
		}
		program := service
		if kind == ofTheirs {
			program = theirs
		}
		cmd := exec.Command(program)
		cmd.Env = append(os.Environ(), "RUNTIME_ROOT="+dir, "RUNTIME_SUBDIRECTORY=.", "RUNTIME_WATCH_ROOT=false",
			"USE_STATSD=false", "USE_PROMETHEUS=true", fmt.Sprint("PROMETHEUS_ADDR=127.0.0.1:", porttest.Free(t)),
			"HOST=127.0.0.1", "GRPC_HOST=127.0.0.1", "DEBUG_HOST=127.0.0.1",
			"GRPC_PORT="+address[len("127.0.0.1:"):], fmt.Sprint("PORT=", port),
			fmt.Sprint("DEBUG_PORT=", porttest.Free(t)))
		if kind != embedded {
			cmd.Env = append(cmd.Env, "REDIS_SOCKET_TYPE=tcp", "REDIS_URL="+s.startStore(t, kind))
		}
		cmd.Env = append(cmd.Env, environ...)
		s.start(t, cmd, address)
		require.Eventually(t, func() bool {
			answer, err := client.Get(s.http + "/healthcheck")
			return err == nil && answer.Body.Close() == nil && answer.StatusCode == http.StatusOK
		}, processtest.Patience, 10*time.Millisecond, "the service is not healthy")
	}
	c, err := grpc.NewClient(address, grpc.WithTransportCredentials(insecure.NewCredentials()))
	require.NoError(t, err)
	t.Cleanup(func() { _ = c.Close() })
	s.RateLimitServiceClient = ratelimit.NewRateLimitServiceClient(c)
	return s
}

// startStore starts the store of a service, and returns its address.
func (s *rls) startStore(t testing.TB, kind string) string {
	address := fmt.Sprint("127.0.0.1:", porttest.Free(t))
	_, port, _ := strings.Cut(address, ":")
	program := server
	if kind != overRESP {
		program = processtest.Installed(t, "redis-server")
	}
	s.start(t, exec.Command(program, "--port", port, "--bind", "127.0.0.1", "--save", "", "--dir", t.TempDir()), address)
	return address
}

// start starts a process, and waits until it listens.
func (s *rls) start(t testing.TB, cmd *exec.Cmd, address string) {
	processtest.Start(t, cmd).Await(address)
	s.pids = append(s.pids, cmd.Process.Pid)
}
