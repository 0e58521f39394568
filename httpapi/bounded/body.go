package bounded

import (
	"context"
	"io"
	"net"
	"net/http"
)

// connectionKey is the key of the connection in the context of a request.
type connectionKey struct{}

// withConnection is the ConnContext of the server.
func withConnection(ctx context.Context, nc net.Conn) context.Context {
	return context.WithValue(ctx, connectionKey{}, connectionOf(nc))
}

// noting answers requests with next. If next has not read the whole body, net/http waits for the rest. So
// the connection makes room, as one does that waits for a request. Without this a client without the token
// keeps its connection for the whole time of a request. A connection may make room just before its request
// is whole. Then next must not count this request, as its client gets no reply, and asks again.
func noting(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		g := r.Context().Value(connectionKey{}).(*connection)
		if g.state.Load() == gone {
			panic(http.ErrAbortHandler) // net/http logs nothing, and closes the connection
		}
		if r.ContentLength == 0 {
			next.ServeHTTP(w, r)
			return
		}
		b, own := &body{ReadCloser: r.Body}, *r // net/http looks at the body of r
		own.Body = b
		next.ServeHTTP(w, &own)
		if !b.ended {
			g.state.CompareAndSwap(active, prepares)
		}
	})
}

// body is the body of a request. It notes that next has read all of it.
type body struct {
	io.ReadCloser
	ended bool
}

// Read implements [io.Reader].
func (b *body) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	b.ended = b.ended || err == io.EOF
	return n, err
}
