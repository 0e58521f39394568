package realtest

import (
	"context"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"cellserver/internal/porttest"
	"cellserver/internal/processtest"

	common "github.com/envoyproxy/go-control-plane/envoy/extensions/common/ratelimit/v3"
	ratelimit "github.com/envoyproxy/go-control-plane/envoy/service/ratelimit/v3"
	"github.com/stretchr/testify/require"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
)

// floorAt is the variable that makes of the test a service with a constant answer, which listens there.
const floorAt = "CELLSERVER_FLOOR_AT"

type floor struct {
	ratelimit.UnimplementedRateLimitServiceServer
}

func (floor) ShouldRateLimit(context.Context, *ratelimit.RateLimitRequest) (*ratelimit.RateLimitResponse, error) {
	return &ratelimit.RateLimitResponse{OverallCode: ratelimit.RateLimitResponse_OK}, nil
}

// serveFloor serves until the process ends.
func serveFloor(address string) {
	l, err := net.Listen("tcp", address)
	if err != nil {
		panic(err)
	}
	s := grpc.NewServer()
	ratelimit.RegisterRateLimitServiceServer(s, floor{})
	_ = s.Serve(l)
}

// BenchmarkCPU measures the processor time of a request, of all processes but the client: of a service with a
// constant answer, of ours alone, and of ours with a server. Run it with -benchtime 20000x -count 5.
func BenchmarkCPU(b *testing.B) {
	const rules = `domain: shop
descriptors:
  - {key: user, rate_limit: {unit: hour, requests_per_unit: 4000000000}}
  - {key: path, rate_limit: {unit: minute, requests_per_unit: 4000000000}}
  - {key: class, rate_limit: {unit: day, requests_per_unit: 4000000000}}
`
	for _, descriptors := range []int{1, 3} {
		for _, kind := range []string{"floor", "embedded", "resp"} {
			b.Run(fmt.Sprint(kind, "/", descriptors), func(b *testing.B) {
				var pids []int
				address := fmt.Sprint("127.0.0.1:", porttest.Free(b))
				if kind == "floor" {
					self := exec.Command(os.Args[0])
					self.Env = append(os.Environ(), floorAt+"="+address)
					processtest.Start(b, self).Await(address)
					pids = append(pids, self.Process.Pid)
				} else {
					dir, environ := b.TempDir(), []string{}
					require.NoError(b, os.Mkdir(filepath.Join(dir, "config"), 0o755))
					require.NoError(b, os.WriteFile(filepath.Join(dir, "config", "a.yaml"), []byte(rules), 0o600))
					if kind == "resp" {
						at := fmt.Sprint("127.0.0.1:", porttest.Free(b))
						_, port, _ := strings.Cut(at, ":")
						store := exec.Command(server, "--port", port, "--bind", "127.0.0.1", "--save", "", "--dir", b.TempDir())
						processtest.Start(b, store).Await(at)
						pids = append(pids, store.Process.Pid)
						environ = append(environ, "REDIS_SOCKET_TYPE=tcp", "REDIS_URL="+at)
					}
					_, port, _ := strings.Cut(address, ":")
					cmd := exec.Command(service)
					cmd.Env = append(append(os.Environ(), "RUNTIME_ROOT="+dir, "RUNTIME_SUBDIRECTORY=.", "RUNTIME_WATCH_ROOT=false",
						"USE_STATSD=false", "USE_PROMETHEUS=true", "PROMETHEUS_ADDR=127.0.0.1:0", "HOST=127.0.0.1",
						"GRPC_HOST=127.0.0.1", "DEBUG_HOST=127.0.0.1", "GRPC_PORT="+port, fmt.Sprint("PORT=", porttest.Free(b)),
						fmt.Sprint("DEBUG_PORT=", porttest.Free(b))), environ...)
					processtest.Start(b, cmd).Await(address)
					pids = append(pids, cmd.Process.Pid)
				}
				c, err := grpc.NewClient(address, grpc.WithTransportCredentials(insecure.NewCredentials()))
				require.NoError(b, err)
				defer c.Close()
				r := &ratelimit.RateLimitRequest{Domain: "shop"}
				for _, key := range []string{"user", "path", "class"}[:descriptors] {
					r.Descriptors = append(r.Descriptors, &common.RateLimitDescriptor{
						Entries: []*common.RateLimitDescriptor_Entry{{Key: key, Value: "value-1"}},
					})
				}
				ask := ratelimit.NewRateLimitServiceClient(c)
				for begin := time.Now(); time.Since(begin) < processtest.Patience; time.Sleep(time.Millisecond) {
					if answer, err := ask.ShouldRateLimit(b.Context(), r); err == nil && (kind == "floor" || answer.GetStatuses()[0].GetCurrentLimit() != nil) {
						break
					}
				}
				before := ticks(b, pids)
				var callers sync.WaitGroup
				for range 16 {
					callers.Go(func() {
						for range b.N / 16 {
							if _, err := ask.ShouldRateLimit(b.Context(), r); err != nil {
								b.Error(err)
								return
							}
						}
					})
				}
				callers.Wait()
				b.ReportMetric(float64(ticks(b, pids)-before)*10_000/float64(b.N), "cpu-us/op")
			})
		}
	}
}

// ticks returns the processor time of processes, in hundredths of a second.
func ticks(b *testing.B, pids []int) (sum int) {
	for _, pid := range pids {
		text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
		require.NoError(b, err)
		fields := strings.Fields(string(text[strings.LastIndexByte(string(text), ')')+1:]))
		for _, field := range fields[11:13] {
			n, err := strconv.Atoi(field)
			require.NoError(b, err)
			sum += n
		}
	}
	return sum
}
