package main

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
)

// verdict is a target and what was measured of it.
type verdict struct {
	name    string
	bound   float64
	atLeast bool // more is better
	unit    unit
	rounds  []float64 // what was measured: the median counts, and NaN never meets a target
	others  float64   // the most that other processes used of a core
	err     error     // why it was not measured
}

// unit writes a number with its unit.
type unit func(v float64) string

func asTimes(v float64) string   { return fmt.Sprintf("%.2f ×", v) }
func asBytes(v float64) string   { return thousands(v) + " B" }
func asSeconds(v float64) string { return fmt.Sprintf("%.2f s", v) }
func asMillis(v float64) string  { return fmt.Sprintf("%.2f ms", v) }
func asMicros(v float64) string  { return fmt.Sprintf("%.1f µs", v) }
func asRate(v float64) string    { return thousands(v) + "/s" }

// contender is a side that a verdict is on.
type contender struct {
	verdict
	side side
}

// compared are the verdicts on a measure of sides over that of another, all of which are measured in turn.
func compared(ctx context.Context, o options, measure func(sample) float64, over side, contenders ...contender) []verdict {
	sides, verdicts := []side{over}, make([]verdict, len(contenders))
	for i, c := range contenders {
		sides, verdicts[i] = append(sides, c.side), c.verdict
	}
	rows, err := contest(ctx, o, sides)
	if err != nil {
		return failed(err, verdicts...)
	}
	for i := range verdicts {
		verdicts[i].compare(rows[i+1], rows[0], measure)
	}
	return verdicts
}

// compare fills in the ratios of a measure of two rows.
func (v *verdict) compare(of, over row, measure func(sample) float64) {
	v.rounds, v.others = ratios(of, over, measure), max(of.others, over.others)
}

// failed are verdicts that cannot be given.
func failed(err error, verdicts ...verdict) []verdict {
	for i := range verdicts {
		verdicts[i].err = err
	}
	return verdicts
}

// measured is the median, and NaN if a round is.
func (v *verdict) measured() float64 {
	if slices.ContainsFunc(v.rounds, math.IsNaN) {
		return math.NaN()
	}
	return median(v.rounds)
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

// cells are the verdict's row of the table.
func (v *verdict) cells() []string {
	bound := map[bool]string{true: "≥ ", false: "≤ "}[v.atLeast] + v.unit(v.bound)
	if v.err != nil {
		reason, _, _ := strings.Cut(v.err.Error(), "\n") // the rest is the server's log
		return []string{v.name, bound, "–", "–", "–", "not measured: " + reason}
	}
	rounds, result := "–", "**not met**"
	if len(v.rounds) > 1 {
		rounds = v.write(slices.Min(v.rounds)) + " … " + v.write(slices.Max(v.rounds))
	}
	if v.met() {
		result = "met"
	}
	if v.others > tolerated {
		result += ", disturbed"
	}
	return []string{v.name, bound, v.write(v.measured()), rounds, percent(v.others), result}
}

func (v *verdict) write(x float64) string {
	if math.IsNaN(x) {
		return "never"
	}
	return v.unit(x)
}
