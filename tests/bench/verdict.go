package main

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"cellserver/tests/bench/contest"
	"cellserver/tests/bench/load"
	"cellserver/tests/bench/report"
	"cellserver/tests/bench/server"
)

// verdict is a target with its measurements.
type verdict struct {
	name    string
	bound   float64
	atLeast bool // more is better
	largest bool // the largest round counts, and not the median
	unit    unit
	rounds  []float64 // the measurements; NaN never meets a target
	others  float64   // the largest part of a core that other processes used
	err     error     // why there is no measurement
}

// unit writes a number with its unit.
type unit func(v float64) string

func asTimes(v float64) string   { return fmt.Sprintf("%.2f ×", v) }
func asBytes(v float64) string   { return report.Thousands(v) + " B" }
func asSeconds(v float64) string { return fmt.Sprintf("%.2f s", v) }
func asMillis(v float64) string  { return fmt.Sprintf("%.2f ms", v) }
func asMicros(v float64) string  { return fmt.Sprintf("%.1f µs", v) }
func asRate(v float64) string    { return report.Thousands(v) + "/s" }

// contender is a verdict and its side.
type contender struct {
	verdict
	side contest.Side
}

// compared measures all sides in turn. It returns the verdicts on the ratio of each contender's measure to the measure
// of over.
func compared(ctx context.Context, o contest.Options, measure func(load.Sample) float64, over contest.Side, contenders ...contender) []verdict {
	sides, verdicts := []contest.Side{over}, make([]verdict, len(contenders))
	for i, c := range contenders {
		sides, verdicts[i] = append(sides, c.side), c.verdict
	}
	rows, err := contest.Run(ctx, o, sides)
	if err != nil {
		return failed(err, verdicts...)
	}
	for i := range verdicts {
		verdicts[i].compare(rows[i+1], rows[0], measure)
	}
	return verdicts
}

// compare computes the ratios of a measure of two rows.
func (v *verdict) compare(of, over contest.Row, measure func(load.Sample) float64) {
	v.rounds, v.others = contest.Ratios(of, over, measure), max(of.Others, over.Others)
}

// failed returns the verdicts with an error in place of a measurement.
func failed(err error, verdicts ...verdict) []verdict {
	for i := range verdicts {
		verdicts[i].err = err
	}
	return verdicts
}

// measured returns the round that counts, or NaN if a round is NaN.
func (v *verdict) measured() float64 {
	switch {
	case slices.ContainsFunc(v.rounds, math.IsNaN):
		return math.NaN()
	case v.largest:
		return slices.Max(v.rounds)
	default:
		return report.Median(v.rounds)
	}
}

func (v *verdict) met() bool {
	switch {
	case v.err != nil:
		return false
	case v.atLeast:
		return v.measured() >= v.bound
	default:
		return v.measured() <= v.bound
	}
}

// cells returns the verdict's row of the table.
func (v *verdict) cells() []string {
	bound := map[bool]string{true: "≥ ", false: "≤ "}[v.atLeast] + v.unit(v.bound)
	if v.err != nil {
		reason, _, _ := strings.Cut(v.err.Error(), "\n") // the other lines are the server's log
		return []string{v.name, bound, "–", "–", "–", "not measured: " + reason}
	}
	rounds, result := "–", "**not met**"
	if len(v.rounds) > 1 {
		rounds = v.write(slices.Min(v.rounds)) + " … " + v.write(slices.Max(v.rounds))
	}
	if v.met() {
		result = "met"
	}
	if v.others > server.Tolerated {
		result += ", disturbed"
	}
	return []string{v.name, bound, v.write(v.measured()), rounds, report.Percent(v.others), result}
}

func (v *verdict) write(x float64) string {
	if math.IsNaN(x) {
		return "never"
	}
	return v.unit(x)
}

// verdictTable makes a table of the verdicts, and counts those that are met.
func verdictTable(all []verdict) (t report.Table, met int) {
	t = report.Table{Head: []string{"target", "bound", "measured", "rounds", "others", ""}}
	for _, v := range all {
		t.Add(v.cells()...)
		if v.met() {
			met++
		}
	}
	return t, met
}

// targetsSection makes a table of the verdicts.
func targetsSection(all []verdict, took time.Duration) report.Section {
	t, met := verdictTable(all)
	return report.Section{ID: "targets", Heading: "Targets", Table: t,
		Notes: fmt.Sprintf(`%d of %d targets are met; the measurements took %v. CPU is the server's processor time for a command, user and system, with 50
connections. The two sides of a ratio take turns. A ratio is the median of the rounds; rounds gives the least and the largest
one. Others is the largest part of one core that other processes used during a measurement. If it is above 10 %%, the bench
measures again, at most twice. A disturbed target stayed above 10 %%.`, met, len(all), took.Round(time.Second))}
}
