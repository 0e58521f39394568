package contest

import (
	"context"
	"fmt"

	"cellserver/tests/bench/load"
	"cellserver/tests/bench/report"
	"cellserver/tests/bench/server"
)

// Side is a workload on a server, at a point.
type Side struct {
	server.Kind
	Workload
	load.Point
}

// Row contains the measurements of a side.
type Row struct {
	Workload, Server string
	load.Point
	load.Sample               // medians
	Spread      float64       // of CPU: (largest - least) / median
	Samples     []load.Sample // in the order of the rounds
}

// Run measures the sides in turn, round by round, so that other work of the machine affects all sides alike.
func Run(ctx context.Context, o Options, sides []Side) ([]Row, error) {
	takes := make([]func() (load.Sample, error), len(sides))
	for i, d := range sides {
		takes[i] = func() (load.Sample, error) {
			found, err := d.measure(ctx, o)
			if err != nil {
				err = fmt.Errorf("%s on %s: %w", d.Workload.Name, d.Kind.Name, err)
			}
			return found, err
		}
	}
	samples, err := Alternate(o.Repeats, takes)
	if err != nil {
		return nil, err
	}
	rows := make([]Row, len(sides))
	for i, d := range sides {
		rows[i] = NewRow(d, samples[i])
	}
	return rows, nil
}

func NewRow(d Side, samples []load.Sample) Row {
	r := Row{Workload: d.Workload.Name, Server: d.Kind.Name, Point: d.Point, Samples: samples}
	r.Sample, r.Spread = middle(samples)
	return r
}

// Alternate takes one sample of each side in turn, for some rounds.
func Alternate(rounds int, takes []func() (load.Sample, error)) ([][]load.Sample, error) {
	samples := make([][]load.Sample, len(takes))
	for range rounds {
		for i, take := range takes {
			found, err := take()
			if err != nil {
				return nil, err
			}
			samples[i] = append(samples[i], found)
		}
	}
	return samples, nil
}

// Ratios divides a measure of one row by the measure of another row, round by round. Work of the machine
// that slows a whole round does not change the ratio.
func Ratios(of, over Row, measure func(load.Sample) float64) []float64 {
	all := make([]float64, len(of.Samples))
	for i := range all {
		all[i] = measure(of.Samples[i]) / measure(over.Samples[i])
	}
	return all
}

// ByCPU, ByRate and ByP999 are measures of a sample.
func ByCPU(s load.Sample) float64  { return s.CPU }
func ByRate(s load.Sample) float64 { return s.Rate }
func ByP999(s load.Sample) float64 { return s.P999 }

// middle returns the median of each measure, the maximum of Others, and the spread of CPU: (largest - least)
// / median.
func middle(samples []load.Sample) (m load.Sample, spread float64) {
	of := func(field func(load.Sample) float64) float64 { return report.MedianOf(samples, field) }
	m = load.Sample{
		Rate: of(ByRate),
		CPU:  of(ByCPU),
		P50:  of(func(s load.Sample) float64 { return s.P50 }),
		P99:  of(func(s load.Sample) float64 { return s.P99 }),
		P999: of(ByP999),
		Max:  of(func(s load.Sample) float64 { return s.Max }),
		// Even one disturbed measurement shows.
		Others: report.Largest(samples, load.Sample.Disturbed),
	}
	return m, (report.Largest(samples, ByCPU) - report.Least(samples, ByCPU)) / m.CPU
}

// SidesOf returns a workload on every server that knows it.
func SidesOf(o Options, w Workload, p load.Point) (all []Side) {
	for _, k := range Kinds(o) {
		if w.throttle && k.Throttles || !w.throttle && !k.Only {
			all = append(all, Side{k, w, p})
		}
	}
	return all
}
