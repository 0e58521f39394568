package service

import (
	"math"
	"strconv"

	core "github.com/envoyproxy/go-control-plane/envoy/config/core/v3"
	ratelimit "github.com/envoyproxy/go-control-plane/envoy/service/ratelimit/v3"
)

// Headers are the names of the headers that tell the state of a limit to the caller.
type Headers struct {
	Limit, Remaining, Reset string
}

// of makes the headers of the last status that refuses, else of the first one with the least remaining.
// Without a limit there are no headers, and neither if the largest one is untouched.
func (h *Headers) of(
	statuses []*ratelimit.RateLimitResponse_DescriptorStatus,
	refuses func(int, *ratelimit.RateLimitResponse_DescriptorStatus) bool,
) []*core.HeaderValue {
	var least *ratelimit.RateLimitResponse_DescriptorStatus
	remaining := uint32(math.MaxUint32)
	for i, s := range statuses {
		if s.GetCurrentLimit() == nil {
			continue
		}
		if isLess := s.GetLimitRemaining() < remaining; isLess || refuses(i, s) {
			least, remaining = s, s.GetLimitRemaining()
		}
	}
	if least == nil {
		return nil
	}
	return []*core.HeaderValue{
		{Key: h.Limit, Value: strconv.FormatUint(uint64(least.GetCurrentLimit().GetRequestsPerUnit()), 10)},
		{Key: h.Remaining, Value: strconv.FormatUint(uint64(least.GetLimitRemaining()), 10)},
		{Key: h.Reset, Value: strconv.FormatInt(least.GetDurationUntilReset().GetSeconds(), 10)},
	}
}
