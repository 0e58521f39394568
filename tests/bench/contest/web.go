package contest

import (
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"
)

// The first check of a key leaves one action fewer, and an interval later nothing has happened.
const (
	firstLeft  = "999"
	firstReset = "3000"
)

func makeCheckRule(t testing.TB, s *Server) {
	s.Do(t, "CL.RULE", "SET", "api", "CL.THROTTLE", 999, 1000, 1000*3000)
}

// checking returns scripts that check random keys. left and reset are those of the replies.
func checking(left, reset string) func(connection int) Script {
	const body = `{"key":"user:` + random + `"}`
	request := fmt.Appendf(nil, "POST /check/api HTTP/1.1\r\nHost: 127.0.0.1\r\n"+
		"Content-Type: application/json\r\nContent-Length: %d\r\n\r\n%s", len(body), body)
	header, answer := checkAnswer(left, reset)
	reply := "HTTP/1.1 200 OK\r\n"
	for _, pair := range header {
		reply += pair[0] + ": " + pair[1] + "\r\n"
	}
	date := strings.Repeat(string(rune(AnyByte)), len(http.TimeFormat))
	return Repeats(request, reply+"Date: "+date+"\r\nContent-Length: #\r\n\r\n"+answer)
}

// checkAnswer returns what answers a check, in the order of the wire.
func checkAnswer(left, reset string) (header [][2]string, body string) {
	numbers := `"limit":1000,"remaining":` + left + `,"retry_after":null,"reset_after":` + reset
	return [][2]string{
			{"Cache-Control", "no-store"}, {"Content-Type", "application/json"},
			{"RateLimit", `"api";r=` + left + ";t=" + reset}, {"RateLimit-Policy", `"api";q=1000;w=3000000`},
			{"X-RateLimit-Limit", "1000"}, {"X-RateLimit-Remaining", left}, {"X-RateLimit-Reset", reset},
		}, `{"allowed":true,` + numbers + `,"policies":[{"policy":"api",` + numbers + `,"window":3000000}]}` +
			"\n"
}

// Bare returns the kind of server that [ServeBare] runs, in a process of this program.
func Bare() Kind { return Kind{BareHandler, []string{os.Args[0], BareHandler}} }

// ServeBare serves on a port of the loopback interface, with the time bounds of cellserver. Each request
// gets the headers and the body of a key's first check. Nothing is logged.
func ServeBare(port string) error {
	header, body := checkAnswer(firstLeft, firstReset)
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
	web := http.Server{
		Addr: "127.0.0.1:" + port, Handler: http.HandlerFunc(handle), MaxHeaderBytes: 32 << 10,
		ReadTimeout: 10 * time.Second, WriteTimeout: 20 * time.Second, IdleTimeout: 2 * time.Minute,
	}
	return web.ListenAndServe()
}
