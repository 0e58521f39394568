package transport

import (
	"context"
	"io"
	"net"
	"strings"
	"sync"
	"testing"

	"cellserver/resp"

	"github.com/stretchr/testify/require"
)

// BenchmarkTransport measures a batch of 1 or 16 commands from 50 clients, with one event loop and with a worker for
// each client.
func BenchmarkTransport(b *testing.B) {
	for _, c := range []struct {
		name         string
		loops, batch int
	}{{"loop/P=1", 1, 1}, {"worker/P=1", -1, 1}, {"loop/P=16", 1, 16}, {"worker/P=16", -1, 16}} {
		b.Run(c.name, func(b *testing.B) { benchTransport(b, c.loops, 50, strings.Repeat(wire("GET", "key"), c.batch)) })
	}
}

func benchTransport(b *testing.B, loops, clients int, request string) {
	s := &Server{Loops: loops, Accept: func(*Conn) (resp.Handler, string) { return &echo{}, "" }}
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(b, err)
	go s.Serve(ln)
	defer s.Shutdown(context.Background())
	conns := make([]net.Conn, clients)
	for i := range conns {
		conns[i], err = net.Dial("tcp", ln.Addr().String())
		require.NoError(b, err)
		defer conns[i].Close()
	}
	b.ReportAllocs()
	b.ResetTimer()
	var running sync.WaitGroup
	for i, nc := range conns {
		running.Go(func() {
			reply := make([]byte, len(request)) // as long as the request: it is echoed
			for range b.N/clients + min(1, max(0, b.N%clients-i)) {
				nc.Write([]byte(request))
				if _, err := io.ReadFull(nc, reply); err != nil {
					b.Error(err)
				}
			}
		})
	}
	running.Wait()
}
