package bounded

import (
	"bytes"
	"context"
	"net"
	"net/http"
	"strings"
	"sync"
)

// head is what a handler adds to the head of a reply.
type head struct {
	lines []byte
	out   []byte // memory for a reply with its lines
}

// heads keeps the memory of replies that were sent, so idle connections need none.
var heads = sync.Pool{New: func() any { return new(head) }}

// mostHead is the most memory that a head keeps for the next one.
const mostHead = 16 << 10

// connectionKey is the key of the connection in the context of a request.
type connectionKey struct{}

func withConnection(ctx context.Context, nc net.Conn) context.Context {
	return context.WithValue(ctx, connectionKey{}, nc)
}

// AddLines adds headers to the reply of a request, as lines: "RateLimit-Policy: …\r\nRateLimit: …\r\n". The values must not
// come from a client. The handler must call it once, and immediately before it writes the reply.
//
// The lines are not put into the map of w, because net/http copies, sorts and checks the headers of a map. For the
// headers of a limit, this costs more than the decision. Only if the request did not come from a Listener, the lines
// are put into the map.
func AddLines(w http.ResponseWriter, r *http.Request, lines []byte) {
	g, ok := r.Context().Value(connectionKey{}).(*connection)
	if !ok {
		setLines(w.Header(), lines)
		return
	}
	g.head = heads.Get().(*head)
	g.head.lines = append(g.head.lines[:0], lines...)
}

func setLines(h http.Header, lines []byte) {
	for line := range strings.SplitSeq(string(lines), "\r\n") {
		if name, value, ok := strings.Cut(line, ": "); ok {
			h[name] = []string{value}
		}
	}
}

// Write adds the lines behind the first line of a reply. net/http sends each reply before it calls the handler again.
func (g *connection) Write(p []byte) (int, error) {
	h := g.head
	if h == nil {
		return g.Conn.Write(p)
	}
	g.head = nil
	first := bytes.IndexByte(p, '\n') + 1
	h.out = append(h.out[:0], p[:first]...)
	h.out = append(append(h.out, h.lines...), p[first:]...)
	n, err := g.Conn.Write(h.out)
	if cap(h.out) <= mostHead {
		heads.Put(h)
	}
	if err == nil {
		n = len(p)
	}
	return min(n, len(p)), err
}
