package webload

import (
	"net/http"
	"net/http/httptest"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// TestDrive counts the requests on both sides.
func TestDrive(t *testing.T) {
	seen := map[string]int{}
	turn := make(chan struct{}, 1)
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		turn <- struct{}{}
		seen[r.URL.Query().Get("key")]++
		<-turn
		if r.URL.Query().Get("key") == "1" {
			w.WriteHeader(http.StatusTooManyRequests)
		}
		_, _ = w.Write([]byte("{}"))
	}))
	defer s.Close()
	request := func(to []byte, connection, _ int) []byte {
		to = strconv.AppendInt(append(to, "GET /?key="...), int64(connection), 10)
		return append(to, " HTTP/1.1\r\nHost: x\r\n\r\n"...)
	}
	load := Load{Addr: s.Listener.Addr().String(), Request: request, Connections: 3, Duration: 50 * time.Millisecond}
	closed, err := Drive(t.Context(), load)
	require.NoError(t, err)
	require.Equal(t, seen["0"]+seen["2"], closed.Replies[200])
	require.Equal(t, seen["1"], closed.Replies[429])
	require.Len(t, closed.Took, closed.Requests())
	require.Empty(t, closed.Late)

	clear(seen)
	load.Rate = 600 // 30 requests; slow machines send the late ones, too
	paced, err := Drive(t.Context(), load)
	require.NoError(t, err)
	require.LessOrEqual(t, paced.Requests(), 30)
	require.Equal(t, seen["0"]+seen["1"]+seen["2"], paced.Requests())
	require.NotEmpty(t, paced.Late)
	require.Positive(t, Percentile(paced.Took, 0.5))
}

func TestParse(t *testing.T) {
	const reply = "HTTP/1.1 429 Too Many Requests\r\ncontent-length: 3\r\nDate: now\r\n\r\nabc"
	for n := range len(reply) {
		status, size, err := parse([]byte(reply[:n]))
		require.NoError(t, err)
		require.Zero(t, status)
		require.Zero(t, size)
	}
	status, size, err := parse([]byte(reply))
	require.NoError(t, err)
	require.Equal(t, []int{429, len(reply)}, []int{status, size})
	for _, wrong := range []string{"HTTP\r\n\r\n", "HTTP/1.1 abc \r\n\r\n", "HTTP/1.1 200 OK\r\nContent-Length: x\r\n\r\n"} {
		_, _, err := parse([]byte(wrong))
		require.Error(t, err)
	}
}
