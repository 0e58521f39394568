package source

import (
	"bytes"
	"runtime"
	"strings"
	"testing"
	"time"

	discovery "github.com/envoyproxy/go-control-plane/envoy/service/discovery/v3"
	xds "github.com/envoyproxy/go-control-plane/ratelimit/config/ratelimit/v3"
	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/types/known/anypb"
)

// A server may send what takes a hundred times as much memory as its bytes.
func TestMessagesThatGrowInMemoryAreRefused(t *testing.T) {
	h, m := subscribe(t)
	<-m.asked
	m.send <- response(t, "1", "n1", message("one", xds.RateLimitUnit_HOUR))
	require.Equal(t, "1", (<-m.asked).GetVersionInfo())
	limit := appendMessage(nil, 3, bytes.Repeat([]byte{5<<3 | 2, 0}, maxParts+1)) // replaces: [{}, {}, …]
	deep := []byte{}
	for range 20_000 {
		deep = appendMessage(nil, 4, deep)
	}
	var before, after runtime.MemStats
	for want, resource := range map[string][]byte{
		"the xDS server: more than 1000000 messages came in one": appendMessage(nil, 3, limit),
		"resource 1 of the xDS server":                           appendMessage(nil, 3, deep),
	} {
		sent := &discovery.DiscoveryResponse{VersionInfo: "2", Nonce: "n2", TypeUrl: rulesType, Resources: []*anypb.Any{{TypeUrl: rulesType, Value: resource}}}
		runtime.ReadMemStats(&before)
		m.send <- sent
		nack := <-m.asked
		runtime.ReadMemStats(&after)
		require.Contains(t, nack.GetErrorDetail().GetMessage(), want)
		require.Equal(t, "1", nack.GetVersionInfo())
		require.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(64<<20))
	}
	empty := &anypb.Any{}
	many := &discovery.DiscoveryResponse{TypeUrl: rulesType, Resources: make([]*anypb.Any, maxParts+1)}
	for i := range many.GetResources() {
		many.Resources[i] = empty
	}
	<-m.headers
	m.send <- many
	<-m.headers // of the next stream
	require.Equal(t, "1", (<-m.asked).GetVersionInfo())
	require.True(t, h.set.Load().HasDomain("one"), "the rules stay")
	m.send <- response(t, "3", "n3", message("three", xds.RateLimitUnit_HOUR))
	h.eventually(t, "three")
}

// A server may send good rules without an end.
func TestRulesTakeAFifthOfAProcessor(t *testing.T) {
	clock := time.Unix(0, 0)
	h, m := subscribe(t, func(h *harness) {
		h.now = func() time.Time { clock = clock.Add(50 * time.Millisecond); return clock } // so long takes a load
	})
	<-m.headers // the loader is connected
	begin, deadline := time.Now(), time.After(time.Second)
	for done := false; !done; {
		select {
		case m.send <- response(t, "1", "n", message("one", xds.RateLimitUnit_HOUR)):
		case <-deadline:
			done = true
		}
	}
	require.Eventually(t, func() bool { return h.good.Value() > 0 }, time.Minute, time.Millisecond)
	require.LessOrEqual(t, float64(h.good.Value()), 1+5*time.Since(begin).Seconds(), "it rests 200 ms after each")
}

// The rules choose a part of an error, and a server gets the error back.
func TestLongErrorsAreCut(t *testing.T) {
	_, m := subscribe(t)
	<-m.asked
	bad := message("one", xds.RateLimitUnit_UNKNOWN)
	bad.Name = strings.Repeat("n", 1<<20)
	m.send <- response(t, "1", "n1", bad)
	require.Len(t, (<-m.asked).GetErrorDetail().GetMessage(), maxError+len("…"))
}

// A server may hang up after each answer. What it sent holds.
func TestAServerThatHangsUpAfterEachAnswer(t *testing.T) {
	h, m := subscribe(t)
	for version, domain := range map[string]string{"1": "one", "2": "two", "3": "three"} {
		<-m.headers
		<-m.asked
		m.send <- response(t, version, "n", message(domain, xds.RateLimitUnit_HOUR))
		require.Equal(t, version, (<-m.asked).GetVersionInfo())
		require.True(t, h.set.Load().HasDomain(domain))
		m.hangUp <- struct{}{}
	}
	<-m.headers
	require.NotEmpty(t, (<-m.asked).GetVersionInfo())
}

// appendMessage appends a field that has a message.
func appendMessage(b []byte, number int, message []byte) []byte {
	return protowire.AppendBytes(protowire.AppendTag(b, protowire.Number(number), protowire.BytesType), message)
}
