package report

import (
	"strconv"

	"cellserver/commands"
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
	r.metricsLeases(x)
	r.metricsRuleSource(x)
	r.metricsAdaptive(x)
	x.gauge("limited_keys", "Refusals of the keys that limiters refused most often (CL.TOP).")
	for _, t := range r.Stats.Limited.Top(stats.AnyDB, r.Config().MetricsTopKeys, false) {
		x.add(float64(t.Times), "db", strconv.Itoa(t.DB), "key", string(t.Key))
	}
}

// metricsLeases shows what sidecars and libraries have leased, and how many sidecars there are.
func (r *Report) metricsLeases(x *exposition) {
	leases := &r.Stats.Commands.Leases
	x.one(x.counter, "lease_asks_total", float64(leases.Asks.Load()), "Questions for a lease: CL.LEASE.")
	x.counter("leased_units_total",
		"Units of limits by what happened to them: granted to a lease, or returned before its end.")
	x.add(float64(leases.Granted.Load()), "outcome", "granted")
	x.add(float64(leases.Returned.Load()), "outcome", "returned")
	_, sidecars := r.Clients.Holders()
	x.one(x.gauge, "sidecars", float64(sidecars), "Sidecars that are connected.")
}

// metricsRuleSource shows the state of the rules-file or the rules-url. Without one it shows nothing.
func (r *Report) metricsRuleSource(x *exposition) {
	s := r.Rules.Source()
	if s.Kind == "" {
		return
	}
	x.gauge("rules_failing", "1 while the rules-file or the rules-url does not answer or is refused, so the previous rules stay in force; else 0.")
	x.add(float64(commands.Bit(s.Failing)), "source", s.Kind)
	x.counter("rules_failures_total", "How often the rules-file or the rules-url did not answer or was refused.")
	x.add(float64(s.Failures), "source", s.Kind)
	x.gauge("rules_last_success_timestamp_seconds", "Unix time at which the rules-file or the rules-url was last right. 0 means never.")
	x.add(inSeconds(s.Right), "source", s.Kind)
	x.gauge("rules_changed_timestamp_seconds", "Unix time at which the rules of the rules-file or the rules-url came into force. 0 means never.")
	x.add(inSeconds(s.Changed), "source", s.Kind)
}
