package contest

import (
	"context"
	"io"
	"net/http"
	"os"
	"strconv"
	"strings"
	"time"

	"cellserver/tests/bench/load"
	"cellserver/tests/bench/server"
)

// Checking asks a rule by HTTP. Bare asks a handler that decides nothing.
const (
	Checking = "POST /check"
	Bare     = "a bare net/http handler"
)

// The rule's burst, its emission interval, and how many keys each connection has. No power of ten has a
// multiple of the interval right above it. So the digits of a reset stay as many while time passes.
const (
	checkLimit    = 1000
	checkInterval = 3000
	checkKeys     = 2000
)

// Checks returns the workloads over HTTP. Each connection takes its keys in turn.
func Checks() []Workload {
	return []Workload{
		{Name: Checking, throttle: true, Script: checking(checkReply),
			prepare: func(_ context.Context, s *server.Server) error {
				_, err := s.Do("CL.RULE", "SET", "api",
					"CL.THROTTLE", checkLimit-1, checkLimit, checkLimit*checkInterval)
				return err
			}},
		{Name: Bare, Script: checking(func(int) string { return checkReply(1) })},
	}
}

// checking returns scripts that expect a reply to the n-th check of a key.
func checking(replyTo func(n int) string) func(connection int) load.Script {
	return func(connection int) load.Script {
		expected, of := "", 0
		return func(request, reply []byte, i int) ([]byte, []byte) {
			if n := i/checkKeys + 1; n != of {
				expected, of = replyTo(n), n
			}
			body := `{"key":"` + load.Key("user:", connection*checkKeys+i%checkKeys) + `"}`
			request = append(request, "POST /check/api HTTP/1.1\r\nHost: 127.0.0.1\r\n"+
				"Content-Type: application/json\r\nContent-Length: "...)
			request = append(strconv.AppendInt(request, int64(len(body)), 10), "\r\n\r\n"...)
			return append(request, body...), append(reply, expected...)
		}
	}
}

// checkAnswer returns what answers the n-th check of a key, in the order of the wire. A question mark is a
// digit that depends on the time.
func checkAnswer(n int) (header [][2]string, body string) {
	fill := strings.NewReplacer("LIMIT", strconv.Itoa(checkLimit), "LEFT", strconv.Itoa(checkLimit-n),
		"RESET", strings.Repeat("?", len(strconv.Itoa(n*checkInterval))),
		"WINDOW", strconv.Itoa(checkLimit*checkInterval))
	header = [][2]string{
		{"Cache-Control", "no-store"}, {"Content-Type", "application/json"},
		{"RateLimit", `"api";r=LEFT;t=RESET`}, {"RateLimit-Policy", `"api";q=LIMIT;w=WINDOW`},
		{"X-RateLimit-Limit", "LIMIT"}, {"X-RateLimit-Remaining", "LEFT"}, {"X-RateLimit-Reset", "RESET"},
	}
	for i := range header {
		header[i][1] = fill.Replace(header[i][1])
	}
	const numbers = `"limit":LIMIT,"remaining":LEFT,"retry_after":null,"reset_after":RESET`
	return header, fill.Replace(`{"allowed":true,` + numbers +
		`,"policies":[{"policy":"api",` + numbers + `,"window":WINDOW}]}` + "\n")
}

// checkReply returns the whole reply.
func checkReply(n int) string {
	header, body := checkAnswer(n)
	reply := "HTTP/1.1 200 OK\r\n"
	for _, pair := range header {
		reply += pair[0] + ": " + pair[1] + "\r\n"
	}
	date := strings.Repeat(string(load.AnyByte), len(http.TimeFormat))
	return reply + "Date: " + date + "\r\nContent-Length: " + strconv.Itoa(len(body)) + "\r\n\r\n" + body
}

// BareHandler returns the kind of server that [ServeBare] runs, in a process of this program.
func BareHandler() server.Kind {
	return server.Kind{Name: "net/http", Argv: []string{os.Args[0], Bare}, Bare: true}
}

// ServeBare serves on a port of the loopback interface, with the time bounds of cellserver. Each request gets
// the headers and the body of a key's first check. Nothing is logged.
func ServeBare(port string) error {
	header, body := checkAnswer(1)
	handle := func(w http.ResponseWriter, r *http.Request) {
		if _, err := io.ReadAll(http.MaxBytesReader(w, r.Body, 64<<10)); err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		for _, pair := range header {
			w.Header()[pair[0]] = []string{pair[1]}
		}
		w.WriteHeader(http.StatusOK)
		_, _ = io.WriteString(w, body)
	}
	web := http.Server{Addr: "127.0.0.1:" + port, Handler: http.HandlerFunc(handle), MaxHeaderBytes: 32 << 10,
		ReadTimeout: 10 * time.Second, WriteTimeout: 20 * time.Second, IdleTimeout: 2 * time.Minute}
	return web.ListenAndServe()
}
