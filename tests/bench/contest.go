package main

import (
	"context"
	"fmt"
)

// side is a workload on a server, at a point.
type side struct {
	kind
	workload
	point
}

// row is what was measured of a side.
type row struct {
	workload, server string
	point
	sample           // medians
	spread  float64  // of cpu, (largest - least) / median
	samples []sample // in the order of the rounds
}

// contest measures sides in turn, again and again, so that what else the machine does befalls all of them.
func contest(ctx context.Context, o options, sides []side) ([]row, error) {
	takes := make([]func() (sample, error), len(sides))
	for i, d := range sides {
		takes[i] = func() (sample, error) {
			found, err := d.measure(ctx, o)
			if err != nil {
				err = fmt.Errorf("%s on %s: %w", d.workload.name, d.kind.name, err)
			}
			return found, err
		}
	}
	samples, err := alternate(o.repeats, takes)
	if err != nil {
		return nil, err
	}
	rows := make([]row, len(sides))
	for i, d := range sides {
		rows[i] = newRow(d, samples[i])
	}
	return rows, nil
}

func newRow(d side, samples []sample) row {
	r := row{workload: d.workload.name, server: d.kind.name, point: d.point, samples: samples}
	r.sample, r.spread = middle(samples)
	return r
}

// alternate takes a sample of each in turn, and so on for some rounds.
func alternate(rounds int, takes []func() (sample, error)) ([][]sample, error) {
	samples := make([][]sample, len(takes))
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

// ratios are a measure of one row over that of another, round by round: what befalls both of a round befalls neither ratio.
func ratios(of, over row, measure func(sample) float64) []float64 {
	all := make([]float64, len(of.samples))
	for i := range all {
		all[i] = measure(of.samples[i]) / measure(over.samples[i])
	}
	return all
}

// The measures that ratios are made of.
func byCPU(s sample) float64  { return s.cpu }
func byRate(s sample) float64 { return s.rate }
func byP999(s sample) float64 { return s.p999 }
