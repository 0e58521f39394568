package service

import (
	"math"
	"time"

	ratelimit "github.com/envoyproxy/go-control-plane/envoy/service/ratelimit/v3"
	"google.golang.org/protobuf/types/known/durationpb"

	"cellserver/envoy/count"
)

const (
	ok   = ratelimit.RateLimitResponse_OK
	over = ratelimit.RateLimitResponse_OVER_LIMIT
)

// answer makes the answer, and counts the metrics.
func (c *call) answer() *ratelimit.RateLimitResponse {
	n := len(c.descriptors)
	statuses := make([]ratelimit.RateLimitResponse_DescriptorStatus, n)
	response := &ratelimit.RateLimitResponse{
		OverallCode: ok, Statuses: make([]*ratelimit.RateLimitResponse_DescriptorStatus, n),
	}
	c.findTight()
	for i := range statuses {
		c.fillStatus(&c.descriptors[i], &statuses[i])
		response.Statuses[i] = &statuses[i]
	}
	if refuses := c.refuses(response.Statuses); refuses && c.service.options.Shadow {
		c.service.shadowed.Add(1)
	} else if refuses {
		response.OverallCode = over
	}
	c.countMetrics(response.GetOverallCode() == over)
	if h := c.service.options.Headers; h != nil {
		response.ResponseHeadersToAdd = h.of(response.GetStatuses(), c.refusing)
	}
	if c.service.options.DynamicMetadata {
		response.DynamicMetadata = c.metadata(response.GetStatuses())
	}
	if c.extra != nil && response.GetOverallCode() == over {
		c.tellRefusal(response)
	}
	return response
}

// fillStatus fills the status of a descriptor.
func (c *call) fillStatus(d *descriptor, s *ratelimit.RateLimitResponse_DescriptorStatus) {
	s.Code = ok
	switch {
	case d.limits > 0:
		r := c.results[d.tight]
		s.CurrentLimit = d.answered()
		s.DurationUntilReset = wholeSeconds(r.Reset)
		if r.Over && !d.Rule.Modes.Shadow {
			s.Code = over
		}
		s.LimitRemaining = uint32(min(c.left(d.tight), math.MaxUint32))
	case d.Rule != nil && !d.replaced:
		s.LimitRemaining = math.MaxUint32
	}
}

// wholeSeconds rounds up, to a second at least.
func wholeSeconds(d time.Duration) *durationpb.Duration {
	return &durationpb.Duration{Seconds: max(1, int64((d+time.Second-1)/time.Second))}
}

// refuses reports whether the request is refused: by a descriptor that is no quota, or by all quotas.
func (c *call) refuses(statuses []*ratelimit.RateLimitResponse_DescriptorStatus) bool {
	quotas, overQuotas := 0, 0
	for i, s := range statuses {
		isOver := s.GetCode() == over
		if c.service.isQuota(&c.descriptors[i]) {
			quotas++
			if isOver {
				overQuotas++
			}
		} else if isOver {
			return true
		}
	}
	return quotas > 0 && quotas == overQuotas
}

// refusing reports whether the status with an index refuses by itself.
func (c *call) refusing(i int, s *ratelimit.RateLimitResponse_DescriptorStatus) bool {
	return s.GetCode() == over && !c.service.isQuota(&c.descriptors[i])
}

// countMetrics counts what was decided in the metrics of the rules. What is given back is no hit.
func (c *call) countMetrics(refused bool) {
	ratio := c.service.options.NearLimit
	for i := range c.descriptors {
		d := &c.descriptors[i]
		if d.limits == 0 || d.giveBack {
			continue
		}
		r, limit := c.results[d.tight], d.answered().GetRequestsPerUnit()
		d.stats.TotalHits.Add(d.hits)
		switch {
		case r.Over:
			after := saturatingSum(r.Before, d.hits)
			d.stats.Refuse(limit, ratio, d.Rule.Modes.Shadow, r.Before, after, d.hits)
		case !refused || counted(r):
			d.stats.Pass(limit, ratio, r.Before, r.After, d.hits)
		}
	}
}

// counted reports whether a hit was counted in the store.
func counted(r count.Result) bool { return r.After != r.Before }

// saturatingSum adds without wrapping.
func saturatingSum(a, b uint64) uint64 {
	if a > math.MaxUint64-b {
		return math.MaxUint64
	}
	return a + b
}
