package server

import (
	"bytes"
	"context"
	"crypto/tls"
	"fmt"
	"io"
	"net"
	"os"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	ratelimit "github.com/envoyproxy/go-control-plane/envoy/service/ratelimit/v3"
	"github.com/stretchr/testify/require"
	"golang.org/x/net/http2"
	"golang.org/x/net/http2/hpack"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials"

	"cellserver/envoy/config"
)

// An attacker speaks HTTP/2 frame by frame. It reads nothing that it is sent.
type attacker struct {
	net.Conn
	*http2.Framer
	headers bytes.Buffer
	hpack   *hpack.Encoder
}

func (h *harness) attack(t *testing.T) *attacker {
	t.Helper()
	c, err := net.Dial("tcp", h.Address(0))
	require.NoError(t, err)
	t.Cleanup(func() { c.Close() })
	a := &attacker{Conn: c, Framer: http2.NewFramer(c, c)}
	a.hpack = hpack.NewEncoder(&a.headers)
	_, err = io.WriteString(c, http2.ClientPreface)
	require.NoError(t, err)
	require.NoError(t, a.WriteSettings())
	return a
}

// open begins a stream that asks the service, with more headers. Without an end they are never complete.
func (a *attacker) open(stream int, ends bool, more ...hpack.HeaderField) error {
	id, most := uint32(2*stream+1), 16<<10
	a.headers.Reset()
	for _, f := range append([]hpack.HeaderField{
		{Name: ":method", Value: "POST"}, {Name: ":scheme", Value: "http"}, {Name: ":authority", Value: "x"},
		{Name: ":path", Value: ratelimit.RateLimitService_ShouldRateLimit_FullMethodName},
		{Name: "content-type", Value: "application/grpc"}, {Name: "te", Value: "trailers"},
	}, more...) {
		if err := a.hpack.WriteField(f); err != nil {
			return err
		}
	}
	parts := slices.Collect(slices.Chunk(a.headers.Bytes(), most))
	err := a.WriteHeaders(http2.HeadersFrameParam{StreamID: id, BlockFragment: parts[0], EndHeaders: ends && len(parts) == 1})
	for i := 1; i < len(parts) && err == nil; i++ {
		err = a.WriteContinuation(id, ends && i == len(parts)-1, parts[i])
	}
	return err
}

// sendHalves sends messages of 1 MB but for their ends, as many as the server takes.
func (a *attacker) sendHalves(t *testing.T, n int) {
	for i := range n {
		require.NoError(t, a.open(i, true))
		require.NoError(t, a.WriteData(uint32(2*i+1), false, []byte{0, 0, 15, 0xff, 0xff, 1}))
	}
	for answered := 0; answered < n; { // a window for the message, or a refusal
		frame, err := a.ReadFrame()
		require.NoError(t, err)
		id := frame.Header().StreamID
		if _, isWindow := frame.(*http2.WindowUpdateFrame); isWindow && id != 0 {
			for range 63 {
				require.NoError(t, a.WriteData(id, false, make([]byte, 16<<10)))
			}
		}
		if t := frame.Header().Type; id != 0 && (t == http2.FrameWindowUpdate || t == http2.FrameRSTStream) {
			answered++
		}
	}
}

// ended reports whether the server ends a connection.
func (a *attacker) ended() bool {
	_ = a.SetReadDeadline(time.Now().Add(time.Minute))
	_, err := io.Copy(io.Discard, a.Conn)
	return !os.IsTimeout(err)
}

// used is the memory of the process.
func used() int64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc + m.StackInuse)
}

// Whatever one client sends, the memory is bounded, and the others get their answers.
func TestAttacksOnHTTP2(t *testing.T) {
	for name, attack := range map[string]func(*harness, *testing.T) *attacker{
		"headers of 1 MB in each stream": func(h *harness, t *testing.T) *attacker {
			a := h.attack(t)
			for i := range 200 {
				if a.open(i, true, hpack.HeaderField{Name: "x", Value: strings.Repeat("v", 1<<20)}) != nil {
					break
				}
			}
			return nil
		},
		"headers that never end": func(h *harness, t *testing.T) *attacker {
			for range 200 {
				require.NoError(t, h.attack(t).open(0, false))
			}
			return nil
		},
		"a flood of pings": func(h *harness, t *testing.T) *attacker {
			a := h.attack(t)
			for i := 0; i < 100_000 && a.WritePing(false, [8]byte{}) == nil; i++ {
			}
			return a
		},
		"a flood of settings": func(h *harness, t *testing.T) *attacker {
			a := h.attack(t)
			_ = a.SetWriteDeadline(time.Now().Add(time.Second)) // the server stops to read
			for i := 0; i < 100_000 && a.WriteSettings() == nil; i++ {
			}
			return nil
		},
		"streams that are reset at once": func(h *harness, t *testing.T) *attacker {
			a := h.attack(t)
			_ = a.SetWriteDeadline(time.Now().Add(time.Second))
			for i := range 20_000 {
				if a.open(i, true) != nil || a.WriteRSTStream(uint32(2*i+1), http2.ErrCodeCancel) != nil {
					break
				}
			}
			return nil
		},
		"a thousand streams without an end": func(h *harness, t *testing.T) *attacker {
			a := h.attack(t)
			for i := range 1000 {
				require.NoError(t, a.open(i, true))
				require.NoError(t, a.WriteData(uint32(2*i+1), false, []byte{0, 0, 15, 0xff, 0xff, 1}))
			}
			return nil
		},
		"five thousand messages of 1 MB that never end": func(h *harness, t *testing.T) *attacker {
			for range 5 {
				h.attack(t).sendHalves(t, 1000)
			}
			return nil
		},
		"bodies of 1 MB that never end": func(h *harness, t *testing.T) *attacker {
			for range 400 {
				c, err := net.Dial("tcp", h.Address(1))
				require.NoError(t, err)
				t.Cleanup(func() { c.Close() })
				_, err = io.WriteString(c, "POST /json HTTP/1.1\r\nHost: x\r\nContent-Length: 1048576\r\n\r\n")
				require.NoError(t, err)
				_, err = c.Write(make([]byte, 1<<20-1))
				require.NoError(t, err)
			}
			return nil
		},
		"a thousand connections that say nothing": func(h *harness, t *testing.T) *attacker {
			for range 1000 {
				h.attack(t)
			}
			return nil
		},
		"no HTTP/2": func(h *harness, t *testing.T) *attacker {
			a := h.attack(t)
			_, _ = a.Write(bytes.Repeat([]byte("GET / HTTP/1.1\r\n"), 10_000))
			return a
		},
	} {
		t.Run(name, func(t *testing.T) {
			h := start(t, nil)
			other := ratelimit.NewRateLimitServiceClient(h.dial(t))
			_, err := other.ShouldRateLimit(t.Context(), request("wide", "1"))
			require.NoError(t, err)
			before := used()
			last := attack(h, t)
			var took []time.Duration
			for range 100 {
				ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
				begin := time.Now()
				_, err := other.ShouldRateLimit(ctx, request("wide", "1"))
				took = append(took, time.Since(begin))
				cancel()
				require.NoError(t, err)
			}
			slices.Sort(took)
			t.Logf("p50 %v, p99 %v", took[49], took[98])
			require.Less(t, took[49], time.Second, "a busy machine disturbs a few answers only")
			most := int64(48 << 20)
			if strings.Contains(name, "of 1 MB that") {
				most += 130 << 20 // what manyArrive buffers take
			}
			require.Eventually(t, func() bool { return used()-before < most }, time.Minute, 100*time.Millisecond)
			if last != nil {
				require.True(t, last.ended(), "the connection of the attacker stays")
			}
		})
	}
}

// Who does not read an answer holds a connection, but not for ever.
func TestASlowReaderIsSentAway(t *testing.T) {
	h := start(t, func(o *Options) { o.Patience = 5 * time.Second })
	rule := fmt.Sprintf("domain: shop\ndescriptors:\n- {key: k%0200d, rate_limit: {unit: day}}\n", 0)
	file, err := config.Parse("config.a.yaml", []byte(rule))
	require.NoError(t, err)
	set, err := config.Build([]config.File{file}, false)
	require.NoError(t, err)
	set.Rules = slices.Repeat(set.Rules, 50_000) // to read so many takes a minute on a busy machine
	h.service.Use(set)
	c, err := net.Dial("tcp", h.Address(2))
	require.NoError(t, err)
	defer c.Close()
	require.NoError(t, c.(*net.TCPConn).SetReadBuffer(4096))
	_, err = io.WriteString(c, "GET /rlconfig HTTP/1.1\r\nHost: x\r\n\r\n")
	require.NoError(t, err)
	isWriting := func() bool {
		_, stacks := h.get(t, 2, "/debug/pprof/goroutine?debug=2")
		return strings.Contains(stacks, "config.(*Set).Dump")
	}
	require.Eventually(t, isWriting, time.Minute, time.Millisecond)
	require.Eventually(t, func() bool { return !isWriting() }, 45*time.Second, 10*time.Millisecond)
	_, text := h.get(t, 2, "/rlconfig")
	require.Len(t, strings.Split(text, "\n"), 50_001, "who reads gets all")
}

// More connections than there may be wait until others end.
func TestConnectionsAreBounded(t *testing.T) {
	h := start(t, func(o *Options) { o.Connections = 2 })
	for listener := range 3 {
		var held []net.Conn
		for range 2 {
			c, err := net.Dial("tcp", h.Address(listener))
			require.NoError(t, err)
			held = append(held, c)
		}
		answers := make(chan error, 1)
		go func() {
			c, err := net.Dial("tcp", h.Address(listener))
			if err == nil {
				defer c.Close()
				_, err = io.WriteString(c, map[bool]string{true: http2.ClientPreface, false: "GET / HTTP/1.0\r\n\r\n"}[listener == 0])
			}
			if err == nil {
				_, err = c.Read(make([]byte, 1))
			}
			answers <- err
		}()
		select {
		case <-answers:
			t.Fatal("a third connection is served")
		case <-time.After(100 * time.Millisecond):
		}
		for _, c := range held {
			c.Close()
		}
		require.NoError(t, <-answers)
	}
}

// A client without TLS on a port with TLS is sent away. Certificates that are renewed, the key after the
// certificate, fail no handshake.
func TestTLSUnderLoad(t *testing.T) {
	pair := newPair(t)
	h := start(t, func(o *Options) { o.GRPC.TLS = pair.server(t, false) })
	plain := h.attack(t)
	require.True(t, plain.ended())
	done := make(chan struct{})
	var clients sync.WaitGroup
	for range 4 {
		clients.Go(func() {
			for {
				select {
				case <-done:
					return
				default:
				}
				any := credentials.NewTLS(&tls.Config{InsecureSkipVerify: true}) // it is another one each time
				c, err := grpc.NewClient(h.Address(0), grpc.WithTransportCredentials(any))
				if err == nil {
					_, err = ratelimit.NewRateLimitServiceClient(c).ShouldRateLimit(t.Context(), request("wide", "1"))
					c.Close()
				}
				if err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	for range 20 {
		pair.renew(t)
	}
	close(done)
	clients.Wait()
}
