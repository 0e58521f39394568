package service

import (
	"cmp"
	"time"

	common "github.com/envoyproxy/go-control-plane/envoy/extensions/common/ratelimit/v3"
	ratelimit "github.com/envoyproxy/go-control-plane/envoy/service/ratelimit/v3"

	"cellserver/envoy/count"
)

// hitsOf returns the hits of a descriptor: its own, else those of the request, and at least 1.
func hitsOf(r *ratelimit.RateLimitRequest, d *common.RateLimitDescriptor) uint64 {
	if own := d.GetHitsAddend(); own != nil {
		return own.GetValue()
	}
	return uint64(max(1, r.GetHitsAddend()))
}

// makeHits makes a hit for each descriptor that has a limit.
func (c *call) makeHits(replaces map[string]bool) {
	c.hits = make([]count.Hit, 0, len(c.descriptors))
	for i := range c.descriptors {
		d := &c.descriptors[i]
		if d.Rule == nil || d.Rule.Unlimited {
			continue
		}
		if name := d.Rule.Limit.GetName(); name != "" && replaces[name] {
			d.replaced = true
			continue
		}
		d.first, d.limits = len(c.hits), len(d.Rule.Limits)
		for _, limit := range d.Rule.Limits {
			hit := limit.Hit
			hit.Key, hit.Hits, hit.GiveBack = d.Counter, d.hits, d.giveBack
			hit.Shadow = c.service.neverRefuses(d)
			isMonth := limit.Answer.GetUnit() == ratelimit.RateLimitResponse_RateLimit_MONTH
			isFixed := hit.Algorithm == "" || hit.Algorithm == count.FixedWindow
			if isMonth && isFixed && c.service.options.CalendarMonths {
				hit.Calendar = "month"
			}
			c.hits = append(c.hits, hit)
		}
	}
}

// findTight finds the hit of each descriptor that refuses for the longest time, or else leaves the least.
func (c *call) findTight() {
	for i := range c.descriptors {
		d := &c.descriptors[i]
		d.tight = d.first
		for j := d.first + 1; j < d.first+d.limits; j++ {
			best, next := c.results[d.tight], c.results[j]
			isTighter := !best.Over && (next.Over || c.left(j) < c.left(d.tight))
			if isTighter || best.Over && next.Over && waitOf(next) > waitOf(best) {
				d.tight = j
			}
		}
	}
}

// waitOf returns how long a hit that is over does not fit.
func waitOf(r count.Result) time.Duration { return cmp.Or(r.Retry, r.Reset) }

// left is what a hit leaves of its limit.
func (c *call) left(hit int) uint64 {
	limit := c.hits[hit].Limit
	if c.results[hit].Over {
		return 0
	}
	return limit - min(limit, c.results[hit].After)
}

// answered returns the limit of a descriptor that its status has.
func (d *descriptor) answered() *ratelimit.RateLimitResponse_RateLimit {
	return d.Rule.Limits[d.tight-d.first].Answer
}

// isQuota reports whether a descriptor refuses only together with all other quotas. In the quota mode of the
// service, a descriptor without a rule is a quota that never refuses. An unlimited one is no quota.
func (s *Service) isQuota(d *descriptor) bool {
	if d.Rule == nil || d.replaced {
		return s.options.Quota
	}
	return !d.Rule.Unlimited && (s.options.Quota || d.Rule.Modes.Quota)
}

// neverRefuses reports whether a descriptor can not refuse the request by itself.
func (s *Service) neverRefuses(d *descriptor) bool {
	return s.options.Shadow || d.Rule.Modes.Shadow || s.isQuota(d)
}
