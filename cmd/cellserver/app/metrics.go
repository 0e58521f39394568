package app

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"strconv"
	"sync"
	"time"

	"cellserver/internal/config"
	"cellserver/server/report"
)

// exporter serves metrics to Prometheus over HTTP, on the address of metrics-bind and metrics-port.
type exporter struct {
	log     *logger
	metrics func() string // in the type [report.MetricsType]

	mu      sync.Mutex   // guards the fields below
	address string       // "" while the exporter does not listen
	ln      net.Listener // nil while the exporter does not listen
	server  *http.Server // nil while the exporter does not listen
}

// configure listens on the address of a configuration; metrics-port 0 is no address. If it cannot, it keeps the previous
// address.
func (e *exporter) configure(cfg *config.Config) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	address := ""
	if cfg.MetricsPort != 0 {
		address = net.JoinHostPort(cfg.MetricsBind, strconv.Itoa(cfg.MetricsPort))
	}
	if address == e.address {
		return nil
	}
	var ln net.Listener
	if address != "" {
		var err error
		if ln, err = net.Listen("tcp", address); err != nil {
			return cannotListen(address, err, "stop what listens there, or choose another port with --metrics-port")
		}
	}
	e.close()
	e.address, e.ln = address, ln
	if ln != nil {
		e.serve()
	}
	return nil
}

// Bounds of a request for metrics.
const (
	scrapeTimeout   = 10 * time.Second
	scrapeMaxHeader = 16 << 10
	scrapeConns     = 4 // at the same time: reservedFiles has room for them
)

// serve answers requests until the exporter is closed.
func (e *exporter) serve() {
	e.server = &http.Server{
		Handler: metricsHandler(e.metrics), ErrorLog: slog.NewLogLogger(e.log.Handler(), slog.LevelDebug),
		ReadTimeout: scrapeTimeout, WriteTimeout: scrapeTimeout, IdleTimeout: 6 * scrapeTimeout, MaxHeaderBytes: scrapeMaxHeader,
	}
	e.server.SetKeepAlivesEnabled(false) // else idle connections keep others out
	server, ln := e.server, newFewConns(e.ln, scrapeConns)
	go func() {
		if err := server.Serve(ln); !errors.Is(err, http.ErrServerClosed) {
			e.log.Error("the metrics listener failed: set metrics-port to 0 and back to open it again", "address", ln.Addr(), "error", err)
		}
	}()
}

// metricsHandler answers GET /metrics, and other requests with an error.
func metricsHandler(metrics func() string) http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /metrics", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", report.MetricsType)
		io.WriteString(w, metrics())
	})
	return mux
}

// close closes the listener and its connections at once.
func (e *exporter) close() {
	if e.server != nil {
		e.server.Close()
	}
	e.address, e.ln, e.server = "", nil, nil
}

// stop closes the listener for good. Replies that the exporter is writing leave until ctx ends.
func (e *exporter) stop(ctx context.Context) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.server != nil && e.server.Shutdown(ctx) != nil {
		e.server.Close()
	}
}

// addr returns the address of the listener, and nil if there is no listener.
func (e *exporter) addr() net.Addr {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.ln == nil {
		return nil
	}
	return e.ln.Addr()
}
