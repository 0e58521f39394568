package bounded

import (
	"context"
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
	Request time.Duration // from the first byte of a request to the last byte of its reply
	Idle    time.Duration // between two requests; 0 closes the connection after each reply
}

// Listener serves HTTP. Set the exported fields before the first Listen, and do not change them afterwards.
type Listener struct {
	Handler http.Handler
	Bounds  Bounds
	Log     *slog.Logger // gets the errors of connections as debug lines
	Failed  func(net.Addr, error)

	mu      sync.Mutex   // guards the fields below
	address string       // "" while it does not listen
	ln      net.Listener // nil while it does not listen
	crowd   *crowd       // of ln
	server  *http.Server // nil while it does not listen
}

// Listen moves the listener to an address; "" is none. If it cannot listen there, it keeps the previous address.
func (l *Listener) Listen(address string) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if address == l.address {
		return nil
	}
	var ln net.Listener
	if address != "" {
		var err error
		if ln, err = net.Listen("tcp", address); err != nil {
			return err
		}
	}
	if l.server != nil {
		l.server.Close()
	}
	l.address, l.ln, l.server = address, ln, nil
	if ln != nil {
		l.serve()
	}
	return nil
}

// serve answers requests until the listener is closed.
func (l *Listener) serve() {
	crowd := newCrowd(l.ln, l.Bounds)
	l.crowd = crowd
	server := &http.Server{
		Handler: l.Handler, ErrorLog: slog.NewLogLogger(l.Log.Handler(), slog.LevelDebug), ConnState: crowd.state,
		MaxHeaderBytes: l.Bounds.Header,
	}
	server.SetKeepAlivesEnabled(l.Bounds.Idle > 0)
	l.server = server
	go crowd.watch()
	go func() {
		if err := server.Serve(crowd); !errors.Is(err, http.ErrServerClosed) && l.Failed != nil {
			l.Failed(crowd.Addr(), err)
		}
	}()
}

// Stop closes the listener for good. Replies that the handler is writing leave until ctx ends.
func (l *Listener) Stop(ctx context.Context) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.server != nil && l.server.Shutdown(ctx) != nil {
		l.server.Close()
	}
}

// Close closes the listener and its connections at once.
func (l *Listener) Close() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.server != nil {
		l.server.Close()
	}
	l.address, l.ln, l.server = "", nil, nil
}

// Addr returns the address of the listener, and nil if it does not listen.
func (l *Listener) Addr() net.Addr {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.ln == nil {
		return nil
	}
	return l.ln.Addr()
}
