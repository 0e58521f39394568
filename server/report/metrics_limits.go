package report

import (
	"strconv"

	"cellserver/server/stats"
)

// metricsLimiters shows the numbers of INFO throttle.
func (r *Report) metricsLimiters(x *exposition) {
	x.counter("decisions_total", "Decisions of limiters by outcome: allowed, limited, looked (the request consumed nothing).")
	for _, cmd := range deciding() {
		d := r.Stats.Commands.Of(cmd).Decisions()
		x.add(float64(d.Allowed), "command", cmd.Name, "outcome", "allowed")
		x.add(float64(d.Limited), "command", cmd.Name, "outcome", "limited")
		x.add(float64(d.Looked), "command", cmd.Name, "outcome", "looked")
	}
	x.counter("rule_decisions_total", "Decisions of rules by outcome: allowed, limited, shadow_limited (allowed, because the rule is in shadow mode).")
	for _, rule := range r.Rules.Report() {
		x.add(float64(rule.Allowed), "rule", rule.Name, "outcome", "allowed")
		x.add(float64(rule.Limited), "rule", rule.Name, "outcome", "limited")
		x.add(float64(rule.Shadowed), "rule", rule.Name, "outcome", "shadow_limited")
	}
	x.gauge("limited_keys", "Refusals of the keys that limiters refused most often (CL.TOP).")
	shown := map[string]bool{}
	for _, t := range r.Stats.Limited.Top(stats.AnyDB, r.Config().MetricsTopKeys, false) {
		db, key := strconv.Itoa(t.DB), labelValue(string(t.Key))
		// Two keys may differ only in bytes that a label cannot hold. The text would then have one sample
		// twice, and the scrape would fail.
		if !shown[db+key] {
			shown[db+key] = true
			x.add(float64(t.Times), "db", db, "key", string(t.Key))
		}
	}
}
