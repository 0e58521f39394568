package commands

import (
	"fmt"
	"slices"
	"strconv"
)

// decidedOn counts what a limiter decided about a key. A look, be it CL.PROBE, PEEK or a
// quantity of 0, limits nobody.
func (c *Call) decidedOn(key []byte, limited, looked bool) {
	c.decided(limited, looked)
	if limited && !looked {
		c.noteLimited(key)
	}
}

// decided counts a decision. What was allowed is not counted: it is all other calls.
func (c *Call) decided(limited, looked bool) {
	switch {
	case looked:
		c.Server.statsOf(c.Cmd).looked.Add(1)
	case limited:
		c.Server.statsOf(c.Cmd).limited.Add(1)
	}
}

// noteLimited counts a key among those that were limited, for CL.TOP.
func (c *Call) noteLimited(key []byte) { c.Server.top.add(c.Tx.DB(), key) }

// decisions are what a command that limits has decided, by outcome.
type decisions struct{ allowed, limited, looked int64 }

// decisions returns what was decided by a command's calls.
func (st *stats) decisions() decisions {
	d := decisions{limited: st.limited.Load(), looked: st.looked.Load()}
	d.allowed = max(st.calls.Load()-st.failed.Load()-d.limited-d.looked, 0)
	return d
}

// deciding are the commands that answer whether something may happen, by name.
func deciding() []*Command {
	return slices.DeleteFunc(byName(), func(c *Command) bool {
		return c.Group != Limiter || c.Keys == (Keys{}) || c.Name == "cl.release"
	})
}

// infoThrottle shows the decisions: what a dashboard of a rate limiter is about.
func infoThrottle(s *Server, r *infoReport, _ int64) {
	for _, cmd := range deciding() {
		d := s.statsOf(cmd).decisions()
		r.add("limiter_"+cmd.Name, fmt.Sprintf("allowed=%d,limited=%d,looked=%d", d.allowed, d.limited, d.looked))
	}
	for _, rule := range s.rules.report() {
		r.add("rule_"+rule.name, fmt.Sprintf("allowed=%d,limited=%d,shadow_limited=%d", rule.allowed, rule.limited, rule.shadowed))
	}
	for i, t := range s.top.highest(anyDB, s.Config().MetricsTopKeys, false) {
		r.add(fmt.Sprintf("limited_most_%d", i+1), fmt.Sprintf("db=%d,times=%d,over=%d,key=%s", t.DB, t.Times, t.Over, strconv.Quote(string(t.Key))))
	}
}

// metricsLimiters shows what INFO throttle does.
func metricsLimiters(s *Server, x *exposition) {
	x.counter("decisions_total", "Decisions of limiters by outcome: allowed, limited, looked (nothing was asked for but an answer).")
	for _, cmd := range deciding() {
		d := s.statsOf(cmd).decisions()
		x.add(float64(d.allowed), "command", cmd.Name, "outcome", "allowed")
		x.add(float64(d.limited), "command", cmd.Name, "outcome", "limited")
		x.add(float64(d.looked), "command", cmd.Name, "outcome", "looked")
	}
	x.counter("rule_decisions_total", "Decisions of rules by outcome: allowed, limited, shadow_limited (would have been).")
	for _, rule := range s.rules.report() {
		x.add(float64(rule.allowed), "rule", rule.name, "outcome", "allowed")
		x.add(float64(rule.limited), "rule", rule.name, "outcome", "limited")
		x.add(float64(rule.shadowed), "rule", rule.name, "outcome", "shadow_limited")
	}
	x.gauge("limited_keys", "How many times the keys that were limited most often were, at most (CL.TOP).")
	shown := map[string]bool{}
	for _, t := range s.top.highest(anyDB, s.Config().MetricsTopKeys, false) {
		db, key := strconv.Itoa(t.DB), labelValue(string(t.Key))
		// Keys that differ only in what a label cannot hold would be one sample twice,
		// which fails a scrape.
		if !shown[db+key] {
			shown[db+key] = true
			x.add(float64(t.Times), "db", db, "key", string(t.Key))
		}
	}
}
