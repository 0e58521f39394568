package app

import (
	"io"
	"net/http"
	"time"

	"cellserver/httpapi"
	"cellserver/httpapi/bounded"
	"cellserver/internal/config"
	"cellserver/server/report"
)

// scrapeBounds are the bounds of a request for metrics. There are files for the connections in reservedFiles.
var scrapeBounds = bounded.Bounds{
	Conns: 4, Header: 16 << 10, Request: 10 * time.Second,
}

// metricsHandler answers GET /metrics of Prometheus, and other requests with an error. metrics has the type
// [report.MetricsType].
//
// On a loopback address it refuses requests that a page of another site may have sent, because metrics name
// keys. On an address of a network everybody may ask, and Prometheus may ask under any name.
func metricsHandler(metrics func() string, present func() *config.Config) http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /metrics", func(w http.ResponseWriter, r *http.Request) {
		cfg := present()
		names := httpapi.Config{Hosts: cfg.HTTP.Hosts}
		if config.IsLoopback(cfg.Metrics.Bind) && names.Misdirects(r) {
			http.Error(w, "another site may have sent this request: ask at localhost or at an IP address, or add the name to http-hosts", http.StatusMisdirectedRequest)
			return
		}
		w.Header().Set("Content-Type", report.MetricsType)
		io.WriteString(w, metrics())
	})
	return mux
}
