package app

import (
	"io"
	"net"
	"net/http"
	"time"

	"cellserver/httpapi/bounded"
	"cellserver/internal/config"
	"cellserver/server/report"
)

// exporter serves metrics to Prometheus over HTTP, on the address of metrics-bind and metrics-port.
type exporter struct{ bounded.Listener }

// Bounds of a request for metrics. There are files for the connections in reservedFiles.
var scrapeBounds = bounded.Bounds{
	Conns: 4, Header: 16 << 10, Request: 10 * time.Second,
}

// init makes the exporter. handler answers requests for metrics.
func (e *exporter) init(log *logger, handler http.Handler) {
	e.Handler, e.Bounds, e.Log = handler, scrapeBounds, log.Logger
	e.Failed = func(at net.Addr, err error) {
		log.Error("the metrics listener failed: set metrics-port to 0 and back to open it again", "address", at, "error", err)
	}
}

// configure listens on the address of a configuration; metrics-port 0 is no address. If it cannot, it keeps the previous
// address.
func (e *exporter) configure(cfg *config.Config) error {
	return listenHTTP(&e.Listener, cfg.MetricsBind, cfg.MetricsPort, "--metrics-port")
}

// metricsHandler answers GET /metrics, and other requests with an error. metrics has the type [report.MetricsType].
func metricsHandler(metrics func() string) http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /metrics", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", report.MetricsType)
		io.WriteString(w, metrics())
	})
	return mux
}
