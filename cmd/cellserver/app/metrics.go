package app

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"strconv"
	"sync"
	"time"

	"cellserver/commands"
	"cellserver/internal/config"
	"cellserver/server"
	"cellserver/server/report"
)

// exporter serves metrics to Prometheus over HTTP, where metrics-bind and metrics-port
// say, or not at all.
type exporter struct {
	mu     sync.Mutex // guards what follows
	at     string     // "" while it does not listen
	ln     net.Listener
	server *http.Server
}

// follow makes the exporter listen where a configuration says. If it cannot, it stays
// where it was.
func (e *exporter) follow(a *App, cfg *config.Config) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	at := ""
	if cfg.MetricsPort != 0 {
		at = net.JoinHostPort(cfg.MetricsBind, strconv.Itoa(cfg.MetricsPort))
	}
	if at == e.at {
		return nil
	}
	var ln net.Listener
	if at != "" {
		var err error
		if ln, err = net.Listen("tcp", at); err != nil {
			return cannotListen(at, err, "stop what listens there, or choose another port with --metrics-port")
		}
	}
	e.close()
	e.at, e.ln = at, ln
	if ln != nil {
		e.serve(a)
	}
	return nil
}

// Bounds of what a scraper may ask of the server.
const (
	scrapeTimeout   = 10 * time.Second
	scrapeMaxHeader = 16 << 10
)

// serve answers requests until the exporter is closed.
func (e *exporter) serve(a *App) {
	e.server = &http.Server{
		Handler: metricsHandler(a.commands), ErrorLog: slog.NewLogLogger(a.log.Handler(), slog.LevelDebug),
		ReadTimeout: scrapeTimeout, WriteTimeout: scrapeTimeout, IdleTimeout: 6 * scrapeTimeout, MaxHeaderBytes: scrapeMaxHeader,
	}
	server, ln := e.server, e.ln
	go func() {
		if err := server.Serve(ln); !errors.Is(err, http.ErrServerClosed) {
			a.log.Error("the metrics' listener failed", "address", ln.Addr(), "error", err)
		}
	}()
}

// metricsHandler answers /metrics; everything else does not exist.
func metricsHandler(s *server.Server) http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /metrics", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", report.MetricsType)
		io.WriteString(w, s.Metrics())
	})
	return mux
}

// close ends listening, without waiting for whoever reads.
func (e *exporter) close() {
	if e.server != nil {
		e.server.Close()
	}
	e.at, e.ln, e.server = "", nil, nil
}

// stop ends listening for good, and lets answers that are being written leave.
func (e *exporter) stop(ctx context.Context) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.server != nil && e.server.Shutdown(ctx) != nil {
		e.server.Close()
	}
}

// address is where metrics are, nil when they are nowhere.
func (e *exporter) address() net.Addr {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.ln == nil {
		return nil
	}
	return e.ln.Addr()
}

// refuseMetrics blames the directive that asked for an address that cannot be had.
func refuseMetrics(old, cfg *config.Config, err error) error {
	directive := "metrics-port"
	if old.MetricsBind != cfg.MetricsBind {
		directive = "metrics-bind"
	}
	return &commands.Refusal{Directive: directive, Reason: fmt.Errorf("Unable to listen there: %w", err)}
}
