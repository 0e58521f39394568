package app

import (
	"bytes"
	"io"
	"net"
	"strconv"
	"testing"

	"cellserver/resp/resptest"

	"github.com/stretchr/testify/require"
)

// BenchmarkServed measures pipelines of 16 and single requests through a socket, with the log on. tests/bench/profile takes
// the profile of the server from it.
func BenchmarkServed(b *testing.B) {
	for _, c := range []struct {
		name string
		args []any
	}{
		{"throttle", []any{"CL.THROTTLE", "key", "10000000", "30", "60"}},
		{"check", []any{"CL.CHECK", "one", "key"}},
		{"checktwo", []any{"CL.CHECK", "two", "key"}},
		{"window", []any{"CL.WINDOW", "key", "1000000000", "60"}},
		{"sliding", []any{"CL.SLIDING", "key", "1000000000", "60"}},
		{"incr", []any{"INCR", "key"}},
		{"set", []any{"SET", "key", "some text"}},
		{"get", []any{"GET", "key"}},
	} {
		b.Run(c.name, func(b *testing.B) {
			in := start(b, "--appendonly", "yes")
			client := in.dial(b)
			ok(b, client, "CL.RULE", "SET", "one", "CL.THROTTLE", "1000000000", "30", "60")
			ok(b, client, "CL.RULE", "SET", "two", "CL.THROTTLE", "1000000000", "30", "60", "AND", "CL.WINDOW", "1000000000", "3600")
			nc, err := net.Dial("tcp", in.Addr().String())
			require.NoError(b, err)
			defer nc.Close()
			served(b, nc, resptest.Command(c.args...))
		})
	}
}

// BenchmarkServedHTTP measures the same for a rule over HTTP.
func BenchmarkServedHTTP(b *testing.B) {
	port := freePort(b)
	in := start(b, "--http-port", strconv.Itoa(port), "--appendonly", "yes")
	ok(b, in.dial(b), "CL.RULE", "SET", "one", "CL.THROTTLE", "1000000000", "30", "60")
	nc, err := net.Dial("tcp", net.JoinHostPort("127.0.0.1", strconv.Itoa(port)))
	require.NoError(b, err)
	defer nc.Close()
	served(b, nc, []byte("GET /check/one?key=key HTTP/1.1\r\nHost: 127.0.0.1\r\nAccept: */*\r\n\r\n"))
}

// served sends a request in pipelines of 16, one after the other. One in 16 pipelines has a single request.
func served(b *testing.B, nc net.Conn, one []byte) {
	sent := bytes.Repeat(one, 16)
	if _, err := nc.Write(one); err != nil {
		b.Fatal(err)
	}
	reply := make([]byte, 64<<10)
	n, err := nc.Read(reply)
	require.NoError(b, err)
	lines := bytes.Count(reply[:n], []byte("\n"))
	b.ReportAllocs()
	for turn := 0; b.Loop(); turn++ {
		batch, want := sent, 16*lines
		if turn%16 == 0 {
			batch, want = one, lines
		}
		_, err := nc.Write(batch)
		for got := 0; got < want && err == nil; got += bytes.Count(reply[:n], []byte("\n")) {
			n, err = nc.Read(reply)
		}
		if err != nil && err != io.EOF {
			b.Fatal(err)
		}
	}
}
