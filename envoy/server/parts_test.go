package server

import (
	"runtime"
	"strings"
	"testing"

	ratelimit "github.com/envoyproxy/go-control-plane/envoy/service/ratelimit/v3"
	"github.com/stretchr/testify/require"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/encoding/gzip"
	"google.golang.org/grpc/mem"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/encoding/protowire"
)

// A sent is the codec of a client that sends what it likes.
type sent struct{}

func (sent) Name() string { return "proto" }

func (sent) Marshal(v any) (mem.BufferSlice, error) {
	return mem.BufferSlice{mem.SliceBuffer(v.([]byte))}, nil
}

func (sent) Unmarshal(mem.BufferSlice, any) error { return nil }

// A message of 1 MB may take a hundred times as much memory, and one of 1 KB may be 1 MB.
func TestMessagesThatGrowInMemoryAreRefused(t *testing.T) {
	h := start(t, nil)
	c := h.dial(t)
	const descriptors, entries, half = 2, 1, maxMessage/2 - 64
	empty := func(field protowire.Number, n int) []byte {
		return []byte(strings.Repeat(string(append(protowire.AppendTag(nil, field, protowire.BytesType), 0)), n))
	}
	wide := protowire.AppendBytes(protowire.AppendTag(nil, descriptors, protowire.BytesType), empty(entries, half))
	for name, message := range map[string][]byte{"descriptors": empty(descriptors, half), "entries": wide} {
		for want, options := range map[string][]grpc.CallOption{
			"more than 16384 messages came in one":     nil,
			"the service reads no compressed messages": {grpc.UseCompressor(gzip.Name)},
		} {
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			err := c.Invoke(t.Context(), ratelimit.RateLimitService_ShouldRateLimit_FullMethodName, message, nil,
				append(options, grpc.ForceCodecV2(sent{}))...)
			runtime.ReadMemStats(&after)
			require.Equal(t, codes.Internal, status.Code(err), "%s: %v", name, err)
			require.ErrorContains(t, err, want, name)
			require.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(20<<20), name)
		}
	}
	for body, want := range map[string]int{
		`{"domain":"shop","descriptors":[{}` + strings.Repeat(",{}", maxParts) + "]}": 400,
		`{"domain":"shop","descriptors":[{}` + strings.Repeat(",{}", 1023) + "]}":     200,
	} {
		got, _ := h.post(t, body)
		require.Equal(t, want, got)
	}
	_, err := ratelimit.NewRateLimitServiceClient(c).ShouldRateLimit(t.Context(), request("wide", strings.Repeat("{", maxParts)))
	require.NoError(t, err)
}
