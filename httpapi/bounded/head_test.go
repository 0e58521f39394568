package bounded

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"cellserver/internal/randtest"

	"github.com/stretchr/testify/require"
)

// linesOf returns the lines that the reply to a request has.
func linesOf(r *http.Request) string {
	if r.URL.Path == "/none" {
		return ""
	}
	return "X-One: " + r.URL.Path + "\r\nX-Two: " + strings.Repeat("2", len(r.URL.Path)) + "\r\n"
}

// adds is a handler whose replies have lines. The body of a reply may exceed the buffers of net/http.
func adds(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return
	}
	w.Header()["Content-Type"] = []string{"text/plain"}
	if lines := linesOf(r); lines != "" {
		AddLines(w, r, []byte(lines))
	}
	if r.Header.Get("X-Status") != "" {
		w.WriteHeader(http.StatusTooManyRequests)
	}
	_, _ = fmt.Fprintf(w, "%s%d", body, len(body))
}

// TestLines compares replies through a listener with replies from a map, for requests of many kinds on one connection.
func TestLines(t *testing.T) {
	l := &Listener{Bounds: wide, Log: slog.New(slog.DiscardHandler), Handler: http.HandlerFunc(adds)}
	require.NoError(t, l.Listen("127.0.0.1:0"))
	defer l.Close()
	random := rand.New(randtest.Source(t))
	var all []string
	var requests []*http.Request
	for i := range 300 {
		method, body := "GET", ""
		if random.IntN(2) == 0 {
			method, body = "POST", strings.Repeat("b", random.IntN(20_000))
		} else if random.IntN(3) == 0 {
			method = "HEAD"
		}
		path := []string{"/none", fmt.Sprint("/", i)}[random.IntN(2)]
		r := httptest.NewRequest(method, path, strings.NewReader(body))
		text := fmt.Sprintf("%s %s HTTP/1.1\r\nHost: x\r\nContent-Length: %d\r\n", method, path, len(body))
		if random.IntN(2) == 0 {
			r.Header.Set("X-Status", "1")
			text += "X-Status: 1\r\n"
		}
		if body != "" && random.IntN(4) == 0 {
			text += "Expect: 100-continue\r\n"
		}
		all, requests = append(all, text+"\r\n"+body), append(requests, r)
	}
	nc, err := net.Dial("tcp", l.Addr().String())
	require.NoError(t, err)
	defer nc.Close()
	go func() { _, _ = io.WriteString(nc, strings.Join(all, "")) }()
	in := bufio.NewReader(nc)
	for i, r := range requests {
		want := httptest.NewRecorder()
		adds(want, r)
		got, err := http.ReadResponse(in, &http.Request{Method: r.Method})
		require.NoError(t, err, all[i])
		for got.StatusCode == http.StatusContinue {
			got, err = http.ReadResponse(in, &http.Request{Method: r.Method})
			require.NoError(t, err)
		}
		require.Equal(t, want.Code, got.StatusCode)
		body, err := io.ReadAll(got.Body)
		require.NoError(t, err)
		if r.Method != "HEAD" {
			require.Equal(t, want.Body.String(), string(body))
		}
		require.Equal(t, want.Header()["Content-Type"], got.Header["Content-Type"])
		require.Equal(t, want.Header()["X-One"], got.Header["X-One"])
		require.Equal(t, want.Header()["X-Two"], got.Header["X-Two"])
	}
}

// short is a connection that takes some bytes and then fails.
type short struct {
	net.Conn
	takes int
}

func (s short) Write(p []byte) (int, error) { return min(s.takes, len(p)), errShort }

var errShort = errors.New("no more")

// TestLinesToBrokenConnection: net/http gets the error, and never more bytes than it has sent.
func TestLinesToBrokenConnection(t *testing.T) {
	const reply = "HTTP/1.1 200 OK\r\n\r\n"
	for takes := range 40 {
		g := &connection{deadlines: deadlines{Conn: short{takes: takes}}, head: &head{lines: []byte("X-One: 1\r\n")}}
		n, err := g.Write([]byte(reply))
		require.ErrorIs(t, err, errShort)
		require.LessOrEqual(t, n, len(reply))
		require.Nil(t, g.head)
	}
}
