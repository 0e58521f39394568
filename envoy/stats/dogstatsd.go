package stats

import (
	"slices"

	"github.com/DataDog/datadog-go/v5/statsd"
)

// A DogStatsd sends metrics to a DogStatsD over UDP. It is a sink for Flush.
type DogStatsd struct{ client *statsd.Client }

// NewDogStatsd makes a sink whose metrics all have these tags.
func NewDogStatsd(address string, tags map[string]string) (*DogStatsd, error) {
	var list []string
	for key, value := range tags {
		list = append(list, key+":"+value)
	}
	slices.Sort(list)
	client, err := statsd.New(address, statsd.WithTags(list), statsd.WithoutTelemetry())
	if err != nil {
		return nil, err
	}
	return &DogStatsd{client}, nil
}

// FlushCounter sends the increase of a counter.
func (d *DogStatsd) FlushCounter(name string, value uint64) {
	_ = d.client.Count(name, int64(value), nil, 1)
}

// FlushGauge sends a gauge.
func (d *DogStatsd) FlushGauge(name string, value uint64) {
	_ = d.client.Gauge(name, float64(value), nil, 1)
}

// FlushTimer sends a time in milliseconds.
func (d *DogStatsd) FlushTimer(name string, ms float64) {
	_ = d.client.TimeInMilliseconds(name, ms, nil, 1)
}

// Flush sends what the client keeps.
func (d *DogStatsd) Flush() { _ = d.client.Flush() }
