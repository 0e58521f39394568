package bounded

import (
	"context"
	"crypto/tls"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"sync"
	"time"
)

// Bounds are the most that clients may take.
type Bounds struct {
	Conns   int           // at the same time
	Header  int           // bytes of the headers of a request
	Request time.Duration // to read a request, and again to write its reply
	Idle    time.Duration // between two requests; 0 closes the connection after each reply
}

// Listener serves HTTP. Set the exported fields before the first Listen, and do not change them afterwards.
type Listener struct {
	Handler http.Handler
	Bounds  Bounds
	Log     *slog.Logger // gets the errors of connections as debug lines
	Failed  func(net.Addr, error)
	Open    func(address string) (net.Listener, error) // opens an address, as net.Listen does; nil for net.Listen
	TLS     func() *tls.Config                         // of the next connection; nil for no TLS

	mu          sync.Mutex   // guards the fields below
	address     string       // "" while it does not listen
	ln          net.Listener // nil while it does not listen
	connections *connections // of ln
	server      *http.Server // nil while it does not listen
}

// Listen moves the listener to an address; "" means no address. If it cannot listen there, it keeps the
// previous address.
func (l *Listener) Listen(address string) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if address == l.address {
		return nil
	}
	ln, err := l.open(address)
	if err != nil {
		return err
	}
	l.use(address, ln)
	return nil
}

// open opens an address; "" means no address. An address with the port of the present one may cover it, as
// 0.0.0.0 covers 127.0.0.1. Then open closes the present one first, and opens it again after an error.
func (l *Listener) open(address string) (ln net.Listener, err error) {
	if address == "" {
		return nil, nil
	}
	ln, err = l.listen(address)
	if err == nil || l.ln == nil || portOf(address) != portOf(l.address) {
		return ln, err
	}
	before := l.address
	l.use("", nil)
	if ln, err = l.listen(address); err != nil {
		if again, fails := l.listen(before); fails == nil {
			l.use(before, again)
		}
	}
	return ln, err
}

// listen opens an address.
func (l *Listener) listen(address string) (net.Listener, error) {
	if l.Open != nil {
		return l.Open(address)
	}
	return net.Listen("tcp", address)
}

func portOf(address string) string {
	_, port, _ := net.SplitHostPort(address)
	return port
}

// use closes the present listener, and serves on ln. If ln is nil, the server then has no listener.
func (l *Listener) use(address string, ln net.Listener) {
	l.end()
	l.address, l.ln, l.server, l.connections = address, ln, nil, nil
	if ln != nil {
		l.serve()
	}
}

// serve answers requests until the listener is closed.
func (l *Listener) serve() {
	connections := newConnections(l.ln, l.Bounds.Conns)
	l.connections = connections
	server := &http.Server{
		Handler:        noting(l.Handler),
		ErrorLog:       slog.NewLogLogger(l.Log.Handler(), slog.LevelDebug),
		ConnState:      connections.follow,
		ConnContext:    withConnection,
		MaxHeaderBytes: l.Bounds.Header,
		ReadTimeout:    l.Bounds.Request,
		WriteTimeout:   2 * l.Bounds.Request, // from the head of the request on
		IdleTimeout:    l.Bounds.Idle,
	}
	server.SetKeepAlivesEnabled(l.Bounds.Idle > 0)
	l.server = server
	go func() {
		err := server.Serve(&secured{connections, l.TLS})
		if !errors.Is(err, http.ErrServerClosed) && l.Failed != nil {
			l.Failed(connections.Addr(), err)
		}
	}()
}

// secured begins TLS on each connection, if it has a TLS configuration. net/http shakes hands within the
// time of a request, and answers a request without TLS. ALPN offers no HTTP/2: a request takes a connection.
type secured struct {
	*connections
	config func() *tls.Config
}

// Accept implements [net.Listener].
func (s *secured) Accept() (net.Conn, error) {
	nc, err := s.connections.Accept()
	if err != nil || s.config == nil {
		return nc, err
	}
	return tls.Server(nc, s.config()), nil
}

// Stop closes the listener for good. Replies that the handler is writing leave until ctx ends.
func (l *Listener) Stop(ctx context.Context) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.server != nil {
		defer context.AfterFunc(ctx, l.connections.cut)() // Shutdown says goodbye to one after the other
		_ = l.server.Shutdown(ctx)
		l.end()
	}
}

// Close closes the listener and its connections at once.
func (l *Listener) Close() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.end()
	l.address, l.ln, l.server = "", nil, nil
}

// end closes the listener and its connections. The server does not know the listener before its goroutine
// has begun, so end closes the listener itself.
func (l *Listener) end() {
	if l.server != nil {
		l.connections.cut()
		l.server.Close()
		l.connections.Close()
	}
}

// Address returns the address of the last successful Listen; "" while it does not listen.
func (l *Listener) Address() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.address
}
