package config

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"time"

	ratelimit "github.com/envoyproxy/go-control-plane/envoy/service/ratelimit/v3"

	"cellserver/envoy/count"
	"cellserver/envoy/extra"
)

// Extend adds what a second file says about the rules, before the set is used. It returns the names of
// the file that are not in the set.
func (s *Set) Extend(f *extra.File) (unknown []string, err error) {
	s.Extra = f
	rules := make(map[string]*Rule, len(s.Rules))
	for _, rule := range s.Rules {
		rules[rule.FullKey] = rule
	}
	for _, name := range slices.Sorted(maps.Keys(f.Rules)) {
		rule := rules[name]
		if rule == nil {
			unknown = append(unknown, "rule "+name)
			continue
		}
		err := rule.extend(f.Rules[name])
		for i := range rule.Limits {
			err = cmp.Or(err, extra.Check(&rule.Limits[i].Hit))
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(f.Domains)) {
		if s.domains[name] == nil {
			unknown = append(unknown, "domain "+name)
		}
	}
	return unknown, nil
}

// extend changes the limits of a rule.
func (r *Rule) extend(more *extra.Rule) error {
	r.OnFailure = more.OnFailure
	if len(more.Limits) > 0 {
		r.Unlimited, r.Limits = false, nil
		for _, l := range more.Limits {
			r.Limits = append(r.Limits, r.limitWith(count.Hit{
				Limit: uint64(l.Limit), Period: l.Period, Calendar: l.Calendar, Zone: l.Zone,
				Algorithm: l.Algorithm, Burst: l.Burst,
			}))
		}
		return nil
	}
	if more.UnitMultiplier == 0 && more.Algorithm == "" {
		return nil
	}
	if r.Unlimited {
		return fmt.Errorf("the rule is unlimited: give it limits")
	}
	hit, times := r.Limits[0].Hit, time.Duration(max(1, more.UnitMultiplier))
	if times > extra.Longest/hit.Period {
		return fmt.Errorf("unit_multiplier %d: the period is longer than 10 years", more.UnitMultiplier)
	}
	hit.Period *= times
	hit.Algorithm, hit.Burst = more.Algorithm, more.Burst
	r.Limits = []Limit{r.limitWith(hit)}
	return nil
}

// limitWith makes a limit whose answer has the unit of its period, if there is one.
func (r *Rule) limitWith(hit count.Hit) Limit {
	unit := ratelimit.RateLimitResponse_RateLimit_UNKNOWN
	for u, period := range periods {
		if hit.Calendar == "" && period == hit.Period {
			unit = u
		}
	}
	return Limit{hit, &ratelimit.RateLimitResponse_RateLimit{
		RequestsPerUnit: uint32(hit.Limit), Unit: unit, Name: r.Limit.GetName(),
	}}
}
