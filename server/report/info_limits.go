package report

import (
	"fmt"
	"slices"
	"strconv"

	"cellserver/commands"
	"cellserver/server/stats"
)

// deciding returns the commands that decide about a key, sorted by name.
func deciding() []*commands.Command {
	return slices.DeleteFunc(commands.ByName(), func(c *commands.Command) bool {
		return c.Group != commands.GroupLimiter || !c.HasKeys() ||
			slices.Contains([]string{"cl.leave", "cl.limit", "cl.release", "cl.rule|reset"}, c.FullName())
	})
}

// infoThrottle shows the decisions of limiters and rules.
func (r *Report) infoThrottle(t *text, _ int64) {
	for _, cmd := range deciding() {
		d := r.Stats.Commands.Of(cmd).Decisions()
		t.add("limiter_"+cmd.Name, fmt.Sprintf("allowed=%d,limited=%d,looked=%d",
			d.Allowed, d.Limited, d.Looked))
	}
	leases := &r.Stats.Commands.Leases
	t.add("leases", fmt.Sprintf("asks=%d,granted=%d,returned=%d",
		leases.Asks.Load(), leases.Granted.Load(), leases.Returned.Load()))
	if s := r.Rules.Source(); s.Kind != "" {
		t.add("rules_source", s.Kind)
		t.add("rules_failing", commands.Bit(s.Failing))
		t.add("rules_failures", s.Failures)
		t.add("rules_error", strconv.Quote(s.Reason))
	}
	for _, rule := range r.Rules.Report() {
		t.add("rule_"+rule.Name, fmt.Sprintf("allowed=%d,limited=%d,shadow_limited=%d",
			rule.Allowed, rule.Limited, rule.Shadowed))
	}
	r.infoAdaptive(t)
	for i, k := range r.Stats.Limited.Top(stats.AnyDB, r.Config().MetricsTopKeys, false) {
		t.add(fmt.Sprintf("limited_most_%d", i+1), fmt.Sprintf("db=%d,times=%d,over=%d,key=%s",
			k.DB, k.Times, k.Over, strconv.Quote(string(k.Key))))
	}
}
