package stats

import (
	_ "embed" // for mapping.yaml
	"log/slog"
	"maps"
	"slices"
	"strings"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/statsd_exporter/pkg/mapper"
)

//go:embed mapping.yaml
var defaultMapping string

// A Collector gives the counters of a registry to Prometheus.
type Collector struct {
	registry *Registry
	mapper   *mapper.MetricMapper
	tags     prometheus.Labels
	times    prometheus.Histogram
}

// NewCollector makes a collector. The mapping is the text of a file of statsd_exporter, "" is the usual
// one.
func NewCollector(r *Registry, mapping string, tags map[string]string) (*Collector, error) {
	if mapping == "" {
		mapping = defaultMapping
	}
	m := &mapper.MetricMapper{Logger: slog.New(slog.DiscardHandler)}
	if err := m.InitFromYAMLString(mapping); err != nil {
		return nil, err
	}
	c := &Collector{registry: r, mapper: m, tags: prometheus.Labels{}}
	for name, value := range tags {
		c.tags[escapeName(name)] = value
	}
	c.measureTimes()
	return c, nil
}

// measureTimes makes the histogram of the requests' times as the mapping says.
func (c *Collector) measureTimes() {
	name, labels, scale := escapeName(timeName), prometheus.Labels{}, 1.0
	buckets := prometheus.DefBuckets
	if found, more, ok := c.mapper.GetMapping(timeName, mapper.MetricTypeObserver); ok {
		name, labels = escapeName(found.Name), more
		if found.Scale.Set {
			scale = found.Scale.Val
		}
		if found.HistogramOptions != nil && len(found.HistogramOptions.Buckets) > 0 {
			buckets = found.HistogramOptions.Buckets
		}
	}
	labels = withTags(labels, c.tags)
	c.times = prometheus.NewHistogram(prometheus.HistogramOpts{
		Name: name, Help: "Times of requests.", ConstLabels: labels, Buckets: buckets,
	})
	c.registry.Requests.mu.Lock()
	defer c.registry.Requests.mu.Unlock()
	c.registry.Requests.observe = func(ms float64) { c.times.Observe(ms * scale) }
}

// Describe says nothing, as the rules that are to come are unknown.
func (c *Collector) Describe(chan<- *prometheus.Desc) {}

// A series is a name with its labels, and the sum of the counters that share them.
type series struct {
	desc  *prometheus.Desc
	kind  prometheus.ValueType
	value float64
}

// Collect sends all counters. Those that share a name and labels are one series.
func (c *Collector) Collect(out chan<- prometheus.Metric) {
	all := map[string]*series{}
	add := func(name string, counter *Counter) {
		c.add(all, name, mapper.MetricTypeCounter, float64(counter.Value()))
	}
	c.registry.each(add)
	add(requestsName, &c.registry.Requests.requests)
	c.registry.eachGauge(func(name string, value uint64) {
		c.add(all, name, mapper.MetricTypeGauge, float64(value))
	})
	for _, s := range all {
		out <- prometheus.MustNewConstMetric(s.desc, s.kind, s.value)
	}
	c.times.Collect(out)
}

// add adds a value to its series.
func (c *Collector) add(all map[string]*series, statsd string, kind mapper.MetricType, value float64) {
	name, labels := statsd, prometheus.Labels{}
	if found, more, ok := c.mapper.GetMapping(statsd, kind); ok {
		if found.Action == mapper.ActionTypeDrop {
			return
		}
		name, labels = found.Name, more
	}
	name = escapeName(name)
	labels = withTags(labels, c.tags)
	id := &strings.Builder{}
	id.WriteString(name)
	for _, key := range slices.Sorted(maps.Keys(labels)) {
		labels[key] = strings.ToValidUTF8(labels[key], "_")
		id.WriteString("\x00" + key + "\x00" + labels[key])
	}
	s := all[id.String()]
	if s == nil {
		s = &series{kind: prometheus.CounterValue, desc: prometheus.NewDesc(name, name, nil, labels)}
		if kind == mapper.MetricTypeGauge {
			s.kind = prometheus.GaugeValue
		}
		all[id.String()] = s
	}
	s.value += value
}

// withTags joins the labels of a mapping and the tags of all metrics.
func withTags(labels, tags prometheus.Labels) prometheus.Labels {
	all := maps.Clone(tags)
	if all == nil {
		all = prometheus.Labels{}
	}
	maps.Copy(all, labels)
	return all
}

// escapeName makes a name of Prometheus.
func escapeName(name string) string { return mapper.EscapeMetricName(name) }
