package realtest

import (
	"context"
	"fmt"
	"net"
	"os"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"cellserver/internal/processtest"

	common "github.com/envoyproxy/go-control-plane/envoy/extensions/common/ratelimit/v3"
	ratelimit "github.com/envoyproxy/go-control-plane/envoy/service/ratelimit/v3"
	"github.com/stretchr/testify/require"
	"google.golang.org/grpc"
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

// kinds are the services that BenchmarkCPU compares.
var kinds = []string{ofFloor, embedded, overRESP}

// BenchmarkCPU measures the processor time of a request, of all processes but the client. Run it with
// -benchtime 20000x -count 5, and with -tags theirs to compare with the service of Envoy.
func BenchmarkCPU(b *testing.B) {
	const rules = `domain: shop
descriptors:
  - {key: user, rate_limit: {unit: hour, requests_per_unit: 4000000000}}
  - {key: path, rate_limit: {unit: minute, requests_per_unit: 4000000000}}
  - {key: class, rate_limit: {unit: day, requests_per_unit: 4000000000}}
`
	for _, descriptors := range []int{1, 3} {
		for _, kind := range kinds {
			b.Run(fmt.Sprint(kind, "/", descriptors), func(b *testing.B) {
				s := startRLS(b, kind, map[string]string{"a.yaml": rules})
				r := &ratelimit.RateLimitRequest{Domain: "shop"}
				for _, key := range []string{"user", "path", "class"}[:descriptors] {
					r.Descriptors = append(r.Descriptors, &common.RateLimitDescriptor{
						Entries: []*common.RateLimitDescriptor_Entry{{Key: key, Value: "value-1"}},
					})
				}
				require.Eventually(b, func() bool {
					answer, err := s.ShouldRateLimit(b.Context(), r)
					return err == nil && (kind == ofFloor || answer.GetStatuses()[0].GetCurrentLimit() != nil)
				}, processtest.Patience, time.Millisecond)
				before := ticks(b, s.pids)
				var callers sync.WaitGroup
				for range 16 {
					callers.Go(func() {
						for range b.N / 16 {
							if _, err := s.ShouldRateLimit(b.Context(), r); err != nil {
								b.Error(err)
								return
							}
						}
					})
				}
				callers.Wait()
				b.ReportMetric(float64(ticks(b, s.pids)-before)*10_000/float64(b.N), "cpu-us/op")
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
