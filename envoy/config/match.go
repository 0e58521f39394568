package config

import (
	"fmt"
	"strings"

	common "github.com/envoyproxy/go-control-plane/envoy/extensions/common/ratelimit/v3"
	ratelimit "github.com/envoyproxy/go-control-plane/envoy/service/ratelimit/v3"
)

// A Match is the rule for a descriptor of a request, and the names under which it counts.
type Match struct {
	Rule    *Rule  // nil if no rule matches
	Counter string // the name of the counter, without the period
	Metric  string // the name of the metric if it has values of the request, else ""
}

// Find finds the rule for a descriptor. A limit in the descriptor replaces the rule.
func (s *Set) Find(domain string, d *common.RateLimitDescriptor) (Match, error) {
	top := s.domains[domain]
	if top == nil {
		return Match{}, nil
	}
	if d.GetLimit() != nil {
		return override(domain, d)
	}
	entries := d.GetEntries()
	var room [32]*node
	path := room[:0]
	for n := top; len(path) < len(entries); path = append(path, n) {
		if n = n.child(entries[len(path)]); n == nil {
			return Match{}, nil
		}
	}
	if len(path) == 0 || path[len(path)-1].rule == nil {
		return Match{}, nil
	}
	m := Match{Rule: path[len(path)-1].rule}
	if !m.Rule.Unlimited {
		m.Counter = counterOf(domain, path, entries)
	}
	m.Metric = metricOf(domain, path, entries)
	return m, nil
}

// child finds the child for an entry: by its value, else by a pattern, else without a value.
func (n *node) child(e *common.RateLimitDescriptor_Entry) *node {
	if len(n.children) == 0 {
		return nil
	}
	joined := e.GetKey() + "_" + e.GetValue()
	if c := n.children[joined]; c != nil {
		return c
	}
	for _, w := range n.wildcards {
		if matchesPattern(w.pattern, joined) {
			return w.child
		}
	}
	return n.children[e.GetKey()]
}

// counterOf names the counter of a descriptor: by its values, or by the pattern where it shares a
// threshold.
func counterOf(domain string, path []*node, entries []*common.RateLimitDescriptor_Entry) string {
	var room [256]byte
	b := appendEscaped(room[:0], domain)
	for i, e := range entries {
		if n := path[i]; n.shared {
			b = appendEscaped(append(b, ':'), n.pattern(e))
			continue
		}
		b = appendEntry(b, e.GetKey(), e.GetValue())
	}
	return counterName(b)
}

// pattern is what an entry counts under where it shares a threshold: its key, and the pattern of its value.
func (n *node) pattern(e *common.RateLimitDescriptor_Entry) string {
	key := e.GetKey() + "_"
	return key + strings.TrimPrefix(n.name(), key)
}

// metricOf names the metric of a rule if it has words of the request: where the rule asks for values, or
// where a pattern matched its key.
func metricOf(domain string, path []*node, entries []*common.RateLimitDescriptor_Entry) string {
	detailed := path[len(path)-1].rule.Modes.DetailedMetric
	dynamic, shared := detailed, false
	for i, n := range path {
		dynamic = dynamic || n.toMetric || n.isWildcard && (n.value == "" || n.key != entries[i].GetKey())
		shared = shared || n.shared
	}
	if !dynamic {
		return ""
	}
	b := &strings.Builder{}
	b.WriteString(domain)
	for i, e := range entries {
		b.WriteByte('.')
		switch n := path[i]; {
		case n.shared || n.isWildcard && !detailed && !n.toMetric:
			b.WriteString(n.pattern(e))
		case detailed && !shared:
			b.WriteString(e.GetKey() + "_" + e.GetValue())
		case detailed || n.toMetric:
			writeEntry(b, e)
		default:
			b.WriteString(n.name())
		}
	}
	return b.String()
}

// writeEntry writes an entry as metrics have it.
func writeEntry(b *strings.Builder, e *common.RateLimitDescriptor_Entry) {
	b.WriteString(e.GetKey())
	if e.GetValue() != "" {
		b.WriteByte('_')
		b.WriteString(e.GetValue())
	}
}

// override makes the rule of a descriptor that brings its own limit.
func override(domain string, d *common.RateLimitDescriptor) (Match, error) {
	unit := Unit(d.GetLimit().GetUnit())
	period, ok := periods[unit]
	if !ok {
		return Match{}, fmt.Errorf("the limit of a descriptor has unit %v: "+
			"use SECOND, MINUTE, HOUR, DAY, WEEK, MONTH or YEAR", unit)
	}
	metric := &strings.Builder{}
	metric.WriteString(domain + ".")
	name := appendEscaped(nil, domain)
	for i, e := range d.GetEntries() {
		if i > 0 {
			metric.WriteByte('.')
		}
		writeEntry(metric, e)
		name = appendEntry(name, e.GetKey(), e.GetValue())
	}
	limit := &ratelimit.RateLimitResponse_RateLimit{
		RequestsPerUnit: d.GetLimit().GetRequestsPerUnit(), Unit: unit,
	}
	rule := &Rule{FullKey: metric.String(), Index: -1, Limit: limit, Limits: []Limit{limitOf(limit, period)}}
	return Match{Rule: rule, Counter: counterName(name), Metric: rule.FullKey}, nil
}
