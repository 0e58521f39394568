package contest

import (
	"math"
	"slices"
	"testing"
	"time"
)

// Point is the pipeline depth and the number of connections of a side.
type Point struct{ Pipeline, Connections int }

// Side is one of the ways that are compared.
type Side struct {
	Name, Server string // of the workload, and of the server
	Point
	Open func(t testing.TB) Running
}

// Running is a side that is ready for its load.
type Running struct {
	PIDs  []int // of all processes, first the one that decides
	Load  func(time.Duration) Outcome
	Close func()
}

// Sample is one measurement of a command or of a transaction.
type Sample struct {
	Rate                float64 // per second
	CPU, AllCPU         float64 // of the process that decides, and of all processes, µs for each
	P50, P99, P999, Max float64 // milliseconds
	Others              float64 // the part of a core that other processes used
}

// Row contains the samples of a side, in the order of the rounds.
type Row struct {
	Side
	Samples []Sample
}

// Run measures the sides in turn, round by round, so that other work of the machine affects all sides
// alike.
func Run(t testing.TB, o Options, sides []Side) []Row {
	rows := make([]Row, len(sides))
	for range o.Repeats {
		for i, s := range sides {
			rows[i].Side = s
			rows[i].Samples = append(rows[i].Samples, s.measure(t, o))
		}
	}
	return rows
}

// A measurement counts while other processes use at most Tolerated of one core. It has at most attempts
// tries.
const (
	Tolerated = 0.10
	attempts  = 3
)

// measure measures until the other processes use little enough, and returns the least disturbed sample. On
// a machine that is always busy it measures once.
func (s Side) measure(t testing.TB, o Options) (least Sample) {
	r := s.Open(t)
	defer r.Close()
	length := time.Duration(o.Seconds * float64(time.Second))
	r.Load(length / 4) // it warms up
	for i := range attempts {
		found := r.observe(t, length)
		if i == 0 || found.Others < least.Others {
			least = found
		}
		if o.Busy || least.Others <= Tolerated {
			break
		}
		t.Logf("others used %.0f %% of a core meanwhile", 100*found.Others)
	}
	t.Logf("%-26s %-10s P=%-2d c=%-3d %9.0f/s %6.2f µs, all %6.2f µs",
		s.Name, s.Server, s.Pipeline, s.Connections, least.Rate, least.CPU, least.AllCPU)
	return least
}

// observe puts load on a side, and looks at the processes meanwhile.
func (r Running) observe(t testing.TB, length time.Duration) Sample {
	spent := func() (all []time.Duration) {
		for _, pid := range r.PIDs {
			all = append(all, cpu(t, pid))
		}
		return append(all, othersTime(t, r.PIDs))
	}
	before := spent()
	out := r.Load(length)
	after := spent()
	for i := range after {
		after[i] -= before[i]
	}
	last, each := len(r.PIDs), 1e6/float64(out.Requests)
	slices.Sort(out.Timings)
	s := Sample{
		Rate: float64(out.Requests) / out.Elapsed.Seconds(), CPU: after[0].Seconds() * each,
		P50: percentile(out.Timings, 0.5), P99: percentile(out.Timings, 0.99),
		P999: percentile(out.Timings, 0.999), Max: percentile(out.Timings, 1),
		Others: max(0, after[last].Seconds()/out.Elapsed.Seconds()),
	}
	for _, one := range after[:last] {
		s.AllCPU += one.Seconds() * each
	}
	return s
}

// percentile returns the least duration that covers the part (0…1) of all, in milliseconds; 0 for none.
func percentile(sorted []time.Duration, part float64) float64 {
	if len(sorted) == 0 {
		return 0
	}
	return sorted[max(0, int(math.Ceil(part*float64(len(sorted))))-1)].Seconds() * 1e3
}

// The measures of a sample.
func ByRate(s Sample) float64   { return s.Rate }
func ByCPU(s Sample) float64    { return s.CPU }
func ByAllCPU(s Sample) float64 { return s.AllCPU }

// Values returns a measure of each sample.
func (r Row) Values(by func(Sample) float64) (all []float64) {
	for _, s := range r.Samples {
		all = append(all, by(s))
	}
	return all
}

// Median returns the median of a measure.
func (r Row) Median(by func(Sample) float64) float64 { return Median(r.Values(by)) }

// Spread returns the difference between the largest and the least, divided by the median.
func (r Row) Spread(by func(Sample) float64) float64 {
	all := r.Values(by)
	return (slices.Max(all) - slices.Min(all)) / Median(all)
}

// Others returns the largest part of a core that other processes used: even one disturbed measurement
// shows.
func (r Row) Others() float64 {
	return slices.Max(r.Values(func(s Sample) float64 { return s.Others }))
}

// Ratios divides a measure of this row by that of another one, round by round. Work of the machine that
// slows a whole round does not change the ratio.
func (r Row) Ratios(over Row, by func(Sample) float64) []float64 {
	all := r.Values(by)
	for i, base := range over.Values(by) {
		all[i] /= base
	}
	return all
}

// Median returns the middle value, or the mean of the two middle values. values is not empty.
func Median(values []float64) float64 {
	sorted := slices.Sorted(slices.Values(values))
	n := len(sorted)
	return (sorted[(n-1)/2] + sorted[n/2]) / 2
}

// RowOf returns the row of a workload on a server, at a point; nil if there is none.
func RowOf(rows []Row, name, server string, p Point) *Row {
	for i, r := range rows {
		if r.Name == name && r.Server == server && r.Point == p {
			return &rows[i]
		}
	}
	return nil
}
