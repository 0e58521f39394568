package app

import (
	"io"
	"net"
	"net/http"
	"time"

	"cellserver/httpapi"
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
		log.Error("the metrics listener failed: set metrics-port to 0 and back to open it again",
			"address", at, "error", err)
	}
}

// configure listens on the address of a configuration; metrics-port 0 means no address. If it cannot, it
// keeps the previous address.
func (e *exporter) configure(cfg *config.Config) error {
	return listenHTTP(&e.Listener, cfg.MetricsBind, cfg.MetricsPort, "--metrics-port")
}

// metricsHandler answers GET /metrics, and other requests with an error. metrics has the type
// [report.MetricsType].
//
// On a loopback address it refuses requests that a page of another site may have sent, because metrics name
// keys. On an address of a network everybody may ask, and Prometheus may ask under any name.
func metricsHandler(metrics func() string, present func() *config.Config) http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /metrics", func(w http.ResponseWriter, r *http.Request) {
		cfg := present()
		names := httpapi.Config{Hosts: cfg.HTTP.Hosts}
		if config.IsLoopback(cfg.MetricsBind) && names.Misdirects(r) {
			http.Error(w, "another site may have sent this request: ask at localhost or at an IP address, or add the name to http-hosts", http.StatusMisdirectedRequest)
			return
		}
		w.Header().Set("Content-Type", report.MetricsType)
		io.WriteString(w, metrics())
	})
	return mux
}
