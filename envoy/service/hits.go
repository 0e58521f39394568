package service

import (
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
		if d.Rule == nil {
			continue
		}
		if name := d.Rule.Limit.GetName(); name != "" && replaces[name] {
			d.replaced = true
			continue
		}
		if d.Rule.Unlimited {
			continue
		}
		d.hit = len(c.hits)
		hit := count.Hit{
			Key: d.Counter, Limit: uint64(d.Rule.Limit.GetRequestsPerUnit()), Period: d.Rule.Period,
			Hits: d.hits, GiveBack: d.giveBack, Shadow: c.service.neverRefuses(d),
		}
		isMonth := d.Rule.Limit.GetUnit() == ratelimit.RateLimitResponse_RateLimit_MONTH
		if isMonth && c.service.options.CalendarMonths {
			hit.Calendar = "month"
		}
		c.hits = append(c.hits, hit)
	}
}

// isQuota reports whether a descriptor refuses only together with all other quotas.
func (s *Service) isQuota(d *descriptor) bool {
	return d.Rule != nil && !d.replaced && (s.options.Quota || d.Rule.Modes.Quota)
}

// neverRefuses reports whether a descriptor can not refuse the request by itself.
func (s *Service) neverRefuses(d *descriptor) bool {
	return s.options.Shadow || d.Rule.Modes.Shadow || s.isQuota(d)
}
