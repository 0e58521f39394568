package main

import (
	"context"
	"net"
	"net/http"
	"os"
	"strconv"
	"time"

	gostats "github.com/lyft/gostats"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"cellserver/envoy/settings"
	"cellserver/envoy/stats"
)

// quiet is the log of a sink: nobody who listens for metrics is not an error.
type quiet struct{}

func (quiet) Errorf(string, ...any) {}
func (quiet) Warnf(string, ...any)  {}

// sinksOf makes the sinks that the settings ask for. Without one, metrics go to the log.
func sinksOf(s settings.Stats) ([]gostats.FlushableSink, map[string]string, error) {
	if s.Disabled {
		return nil, nil, nil
	}
	if s.DogStatsd {
		sink, err := stats.NewDogStatsd(net.JoinHostPort(s.Host, strconv.Itoa(s.Port)), s.Tags)
		return []gostats.FlushableSink{sink}, nil, err // the client adds the tags
	}
	switch {
	case s.Statsd:
		sink := gostats.NewNetSink(gostats.WithStatsdHost(s.Host), gostats.WithStatsdPort(s.Port),
			gostats.WithStatsdProtocol("tcp"), gostats.WithLogger(quiet{}))
		return []gostats.FlushableSink{sink}, s.Tags, nil
	case s.Prometheus:
		return nil, nil, nil
	}
	return []gostats.FlushableSink{gostats.NewLoggingSink()}, s.Tags, nil
}

// lastFlush is how long the end waits for a sink. One that nobody listens to hangs for seconds.
const lastFlush = time.Second

// flush sends the metrics to a sink until the context ends, and once more then.
func flush(
	ctx context.Context, r *stats.Registry, sink gostats.FlushableSink, every time.Duration,
	tags map[string]string,
) {
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		for tick := time.Tick(every); ; {
			select {
			case <-ctx.Done():
				r.Flush(sink, tags)
				return
			case <-tick:
				r.Flush(sink, tags)
			}
		}
	}()
	<-ctx.Done()
	select {
	case <-ended:
	case <-time.After(lastFlush):
	}
}

// maxScrapes is how many may read the metrics at the same time, each within scrapeTime. With many keys, each takes
// 100 MB.
const (
	maxScrapes = 3
	scrapeTime = 20 * time.Second
)

// prometheusHandler makes what Prometheus reads, or nil.
func prometheusHandler(r *stats.Registry, s settings.Stats) (http.Handler, error) {
	if !s.Prometheus || s.Disabled {
		return nil, nil
	}
	mapping := ""
	if s.MapperFile != "" {
		content, err := os.ReadFile(s.MapperFile)
		if err != nil {
			return nil, err
		}
		mapping = string(content)
	}
	collector, err := stats.NewCollector(r, mapping, s.Tags)
	if err != nil {
		return nil, err
	}
	all := prometheus.NewRegistry()
	all.MustRegister(collector, collectors.NewGoCollector(),
		collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	return inTurn(promhttp.HandlerFor(all, promhttp.HandlerOpts{})), nil
}

// inTurn lets further readers wait, as an error would be a gap in the metrics of the last of several Prometheus.
func inTurn(metrics http.Handler) http.Handler {
	turns := make(chan struct{}, maxScrapes)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		select {
		case <-r.Context().Done(): // its client has left
		case turns <- struct{}{}:
			defer func() { <-turns }()
			_ = http.NewResponseController(w).SetWriteDeadline(time.Now().Add(scrapeTime))
			metrics.ServeHTTP(w, r)
		}
	})
}
