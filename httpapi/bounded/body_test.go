package bounded

import (
	"log/slog"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// TestUnreadBodiesMakeRoom: clients whose request is refused do not keep others out with a body that never
// comes.
func TestUnreadBodiesMakeRoom(t *testing.T) {
	for _, head := range []string{
		"Content-Length: 9", "Transfer-Encoding: chunked", "Content-Length: 9\r\nConnection: close",
	} {
		asked, hold := make(chan bool), make(chan bool)
		l := &Listener{Bounds: wide, Log: slog.New(slog.DiscardHandler), Handler: http.HandlerFunc(
			func(w http.ResponseWriter, r *http.Request) {
				if r.ContentLength != 0 {
					asked <- true
					<-hold
				}
				http.Error(w, r.URL.Path, http.StatusUnauthorized)
			},
		)}
		require.NoError(t, l.Listen("127.0.0.1:0"))
		for range wide.Conns {
			dial(t, l).send("POST /a HTTP/1.1\r\nHost: x\r\n" + head + "\r\n\r\n")
			<-asked
		}
		late := dial(t, l)
		late.send("GET /late HTTP/1.1\r\nHost: x\r\n\r\n")
		require.Eventually(t, l.connectionsOf().queued.Load, patience, time.Millisecond)
		close(hold)
		_, err := http.ReadResponse(late.in, nil)
		require.NoError(t, err, head)
		l.Close()
	}
}
