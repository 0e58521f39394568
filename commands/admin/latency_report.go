package admin

import (
	"fmt"
	"strings"

	"cellserver/commands"
	"cellserver/internal/config"
)

// The size of LATENCY GRAPH: a column for each spike, and three steps in each row.
const (
	graphColumns = 80
	graphRows    = 4
	graphSteps   = "_o#"
)

// graph draws the spikes of an event, and below each spike its age. now is the Unix second.
func graph(e *commands.LatencyEvent, now int64) string {
	low, high := e.Spikes[0].Millis, e.Spikes[0].Millis
	for _, s := range e.Spikes {
		low, high = min(low, s.Millis), max(high, s.Millis)
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s - high %d ms, low %d ms (all time high %d ms)\n%s\n",
		e.Name, high, low, e.Worst, strings.Repeat("-", graphColumns))
	for start := 0; start < len(e.Spikes); start += graphColumns {
		if start > 0 {
			b.WriteByte('\n')
		}
		drawSpikes(&b, e.Spikes[start:min(start+graphColumns, len(e.Spikes))], low, high, now)
	}
	return b.String()
}

func drawSpikes(b *strings.Builder, spikes []commands.Spike, low, high, now int64) {
	const steps = graphRows * int64(len(graphSteps))
	for row := range graphRows {
		floor := int64(graphRows-row-1) * int64(len(graphSteps))
		for _, s := range spikes {
			step := min((s.Millis-low)*steps/max(high-low, 1), steps-1) - floor
			switch {
			case step < 0:
				b.WriteByte(' ')
			case step < int64(len(graphSteps)):
				b.WriteByte(graphSteps[step])
			default:
				b.WriteByte('|')
			}
		}
		b.WriteByte('\n')
	}
	b.WriteString(strings.Repeat(" ", len(spikes)) + "\n")
	drawAges(b, spikes, now)
}

// drawAges writes the ages of the spikes from top to bottom.
func drawAges(b *strings.Builder, spikes []commands.Spike, now int64) {
	longest := 0
	ages := make([]string, len(spikes))
	for i, s := range spikes {
		ages[i] = age(now - s.Seconds)
		longest = max(longest, len(ages[i]))
	}
	for line := range longest {
		for _, a := range ages {
			if line < len(a) {
				b.WriteByte(a[line])
			} else {
				b.WriteByte(' ')
			}
		}
		b.WriteByte('\n')
	}
}

// age formats a number of seconds in its largest whole unit.
func age(seconds int64) string {
	switch {
	case seconds < 60:
		return fmt.Sprintf("%ds", seconds)
	case seconds < 3600:
		return fmt.Sprintf("%dm", seconds/60)
	case seconds < 24*3600:
		return fmt.Sprintf("%dh", seconds/3600)
	}
	return fmt.Sprintf("%dd", seconds/(24*3600))
}

// diagnose returns the text of LATENCY DOCTOR: the spikes of each event, and advice. now is the
// Unix second.
func diagnose(w commands.LatencyEvents, now int64, cfg *config.Config) string {
	events := w.All()
	switch {
	case len(events) > 0:
	case cfg.LatencyMonitorThreshold == 0:
		return "Latency monitoring is disabled. CONFIG SET " +
			"latency-monitor-threshold <milliseconds> enables it.\n"
	default:
		return "No latency spike was observed during the lifetime of this server.\n"
	}
	var b strings.Builder
	b.WriteString("Latency spikes were observed:\n\n")
	for i, e := range events {
		fmt.Fprintf(&b, "%d. %s\n", i+1, summarize(&e, now))
	}
	b.WriteString("\nAdvice:\n\n")
	if t := cfg.SlowlogLogSlowerThan; t < 0 || t/1000 > cfg.LatencyMonitorThreshold {
		fmt.Fprintf(&b, "- SLOWLOG does not see all of them: CONFIG SET slowlog-log-slower-than %d.\n", cfg.LatencyMonitorThreshold*1000)
	}
	b.WriteString("- SLOWLOG GET shows which commands they are.\n")
	if w.Event("fast-command").Spikes != nil {
		b.WriteString("- Commands that should be fast are not: the machine does not give this process " +
			"its time. Lower its load, or look for a noisy neighbour.\n")
	}
	return b.String()
}

// summarize returns one line about an event: number of spikes, mean, mean deviation, and mean time
// between two spikes.
func summarize(e *commands.LatencyEvent, now int64) string {
	n := int64(len(e.Spikes))
	var sum, deviation int64
	for _, s := range e.Spikes {
		sum += s.Millis
	}
	mean := sum / n
	for _, s := range e.Spikes {
		deviation += max(mean-s.Millis, s.Millis-mean)
	}
	period := max(now-e.Spikes[0].Seconds, 1)
	return fmt.Sprintf("%s: %d latency spikes (average %dms, mean deviation %dms, period %.2f sec). "+
		"Worst all time event %dms.",
		e.Name, n, mean, deviation/n, float64(period)/float64(n), e.Worst)
}
