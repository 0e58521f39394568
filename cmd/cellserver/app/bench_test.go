package app

import (
	"bytes"
	"io"
	"net"
	"net/http"
	"strconv"
	"testing"
	"time"

	"cellserver/internal/porttest"
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
		{"checkscopes", []any{"CL.CHECK", "three", "org", "team", "key", "12"}},
		{"window", []any{"CL.WINDOW", "key", "1000000000", "60"}},
		{"sliding", []any{"CL.SLIDING", "key", "1000000000", "60"}},
		{"incr", []any{"INCR", "key"}},
		{"set", []any{"SET", "key", "some text"}},
		{"get", []any{"GET", "key"}},
	} {
		b.Run(c.name, func(b *testing.B) {
			served(b, dialRules(b), resptest.Command(c.args...))
		})
	}
}

// dialRules starts a server with rules of one, two and three limits, and connects to it.
func dialRules(b *testing.B) net.Conn {
	in := start(b, "--appendonly", "yes")
	client := in.dial(b)
	ok(b, client, "CL.RULE", "SET", "one", "CL.THROTTLE", "1000000000", "30", "60")
	ok(b, client, "CL.RULE", "SET", "two", "CL.THROTTLE", "1000000000", "30", "60", "AND", "CL.WINDOW", "1000000000", "3600")
	ok(b, client, "CL.RULE", "SET", "three", "SCOPE", "org", "CL.WINDOW", "1000000000000", "2592000", "AND",
		"SCOPE", "team", "CL.WINDOW", "1000000000000", "0", "ALIGN", "day", "AND", "SCOPE", "user", "CL.THROTTLE", "1000000000", "30", "60")
	nc, err := net.Dial("tcp", in.Addr().String())
	require.NoError(b, err)
	b.Cleanup(func() { nc.Close() })
	return nc
}

// BenchmarkServedReservations measures reservations and their settlements. They end before their ids come again.
func BenchmarkServedReservations(b *testing.B) {
	nc := dialRules(b)
	var requests [][]byte
	for i := range 1 << 15 {
		id := "request-" + strconv.Itoa(i)
		requests = append(requests, resptest.Command("CL.RESERVE", "one", "key", "12", id, "0.02"), resptest.Command("CL.SETTLE", "one", "key", id, "9"))
	}
	served(b, nc, requests...)
}

// BenchmarkServedHTTP measures the same for a rule over HTTP. The key is in the query, or in a body.
func BenchmarkServedHTTP(b *testing.B) {
	for _, c := range []struct{ name, head, body string }{
		{"get", "GET /check/one?key=key HTTP/1.1\r\nAccept: */*\r\n", ""},
		{"post", "POST /check/one HTTP/1.1\r\nContent-Type: application/json\r\nContent-Length: 13\r\n", `{"key":"key"}`},
	} {
		b.Run(c.name, func(b *testing.B) {
			port := porttest.Free(b)
			in := start(b, "--http-port", strconv.Itoa(port), "--appendonly", "yes")
			ok(b, in.dial(b), "CL.RULE", "SET", "one", "CL.THROTTLE", "1000000000", "30", "60")
			nc, err := net.Dial("tcp", net.JoinHostPort("127.0.0.1", strconv.Itoa(port)))
			require.NoError(b, err)
			defer nc.Close()
			served(b, nc, []byte(c.head+"Host: 127.0.0.1\r\n\r\n"+c.body))
		})
	}
}

// BenchmarkServedBare measures a bare handler of net/http with the bounds, the headers and the bytes of
// BenchmarkServedHTTP. It is what a decision over HTTP costs without the decision.
func BenchmarkServedBare(b *testing.B) {
	const body = `{"allowed":true,"limit":1000000001,"remaining":1000000000,"retry_after":null,"reset_after":2,` +
		`"policies":[{"policy":"one","limit":1000000001,"remaining":1000000000,"retry_after":null,` +
		`"reset_after":2,"window":2000000002}]}` + "\n"
	web := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		for _, pair := range [...][2]string{
			{"Cache-Control", "no-store"}, {"Content-Type", "application/json"},
			{"RateLimit", `"one";r=1000000000;t=2`}, {"RateLimit-Policy", `"one";q=1000000001;w=2000000002`},
			{"X-RateLimit-Limit", "1000000001"}, {"X-RateLimit-Remaining", r.URL.Query().Get("key")},
			{"X-RateLimit-Reset", "2"},
		} {
			w.Header()[pair[0]] = []string{pair[1]}
		}
		w.WriteHeader(http.StatusOK)
		_, _ = io.WriteString(w, body)
	}), ReadTimeout: 10 * time.Second, WriteTimeout: 20 * time.Second, IdleTimeout: 2 * time.Minute}
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(b, err)
	go func() { _ = web.Serve(ln) }()
	defer web.Close()
	nc, err := net.Dial("tcp", ln.Addr().String())
	require.NoError(b, err)
	defer nc.Close()
	served(b, nc, []byte("GET /check/one?key=key HTTP/1.1\r\nHost: 127.0.0.1\r\nAccept: */*\r\n\r\n"))
}

// served sends requests in pipelines of 16, one after the other. One in 16 pipelines has a single request. All requests have
// equally many lines in their replies.
func served(b *testing.B, nc net.Conn, requests ...[]byte) {
	const depth = 16
	if _, err := nc.Write(requests[0]); err != nil {
		b.Fatal(err)
	}
	reply := make([]byte, 64<<10)
	n, err := nc.Read(reply)
	require.NoError(b, err)
	lines := bytes.Count(reply[:n], []byte("\n"))
	for len(requests)%depth != 0 {
		requests = append(requests, requests[0])
	}
	var pipelines [][]byte
	for i := 0; i < len(requests); i += depth {
		pipelines = append(pipelines, bytes.Join(requests[i:i+depth], nil))
	}
	b.ReportAllocs()
	for turn := 0; b.Loop(); turn++ {
		batch, want := pipelines[turn%len(pipelines)], depth*lines
		if turn%16 == 0 {
			batch, want = requests[0], lines
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
