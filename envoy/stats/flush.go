package stats

import (
	"maps"
	"slices"
	"strings"

	gostats "github.com/lyft/gostats"
)

// Flush sends what has changed since the last call to a sink, and all gauges.
func (r *Registry) Flush(sink gostats.FlushableSink, tags map[string]string) {
	suffix := tagSuffix(tags)
	flush := func(name string, c *Counter) {
		if value := c.Value(); value != c.flushed {
			sink.FlushCounter(name+suffix, value-c.flushed)
			c.flushed = value
		}
	}
	for _, gone := range r.takeRemoved() {
		gone.rule.each(gone.key, flush)
	}
	r.each(flush)
	flush(requestsName, &r.Requests.requests)
	for _, ms := range r.Requests.take() {
		sink.FlushTimer(timeName+suffix, ms)
	}
	r.eachGauge(func(name string, value uint64) { sink.FlushGauge(name+suffix, value) })
	sink.Flush()
}

// tagSuffix writes tags in the way of the library: as parts of the name.
func tagSuffix(tags map[string]string) string {
	b := &strings.Builder{}
	for _, key := range slices.Sorted(maps.Keys(tags)) {
		b.WriteString(".__" + key + "=" + clean(tags[key]))
	}
	return b.String()
}
