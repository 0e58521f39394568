package service

import (
	"errors"
	"strconv"
	"strings"

	core "github.com/envoyproxy/go-control-plane/envoy/config/core/v3"
	ratelimit "github.com/envoyproxy/go-control-plane/envoy/service/ratelimit/v3"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/types/known/structpb"

	"cellserver/envoy/count"
	"cellserver/envoy/extra"
)

// tellRefusal adds to a refusal what the second file asks for: which rules refuse, and when to come back.
func (c *call) tellRefusal(r *ratelimit.RateLimitResponse) {
	var names []*structpb.Value
	var wait int64
	byQuotas := true // all of them, and no other rule
	for i, s := range r.GetStatuses() {
		byQuotas = byQuotas && !c.refusing(i, s)
	}
	for i, s := range r.GetStatuses() {
		if c.refusing(i, s) || byQuotas && s.GetCode() == over {
			d := &c.descriptors[i]
			names = append(names, structpb.NewStringValue(d.Rule.FullKey))
			wait = max(wait, wholeSeconds(waitOf(c.results[d.tight])).GetSeconds())
		}
	}
	if len(names) == 0 {
		return
	}
	answer := c.extra.Answer
	if answer.RuleHeader != "" {
		addHeader(r, answer.RuleHeader, names[0].GetStringValue())
	}
	if answer.RetryAfter {
		addHeader(r, "Retry-After", strconv.FormatInt(wait, 10))
	}
	if answer.Metadata {
		if r.GetDynamicMetadata() == nil {
			r.DynamicMetadata = &structpb.Struct{Fields: map[string]*structpb.Value{}}
		}
		r.DynamicMetadata.Fields["refused_by"] = structpb.NewListValue(&structpb.ListValue{Values: names})
	}
}

// addHeader adds a header. If the request brings a limit, the name of the rule has values of the request. A
// character that could end the header becomes "_".
func addHeader(r *ratelimit.RateLimitResponse, name, value string) {
	value = strings.Map(func(c rune) rune {
		if c < ' ' || c == 0x7f {
			return '_'
		}
		return c
	}, value)
	r.ResponseHeadersToAdd = append(r.ResponseHeadersToAdd, &core.HeaderValue{Key: name, Value: value})
}

// answerWithout answers a request that could not be counted. A rule that denies wins. Without one, all
// rules must allow the request, or it is an error. A request that the store can never count is an error, too,
// because on_failure is about a store that fails.
func (c *call) answerWithout(err error) (*ratelimit.RateLimitResponse, error) {
	n := len(c.descriptors)
	r := &ratelimit.RateLimitResponse{
		OverallCode: ok, Statuses: make([]*ratelimit.RateLimitResponse_DescriptorStatus, n),
	}
	undecided := errors.Is(err, count.ErrUnsupported)
	for i := range c.descriptors {
		d := &c.descriptors[i]
		r.Statuses[i] = &ratelimit.RateLimitResponse_DescriptorStatus{Code: ok}
		if d.limits == 0 {
			continue
		}
		switch d.Rule.OnFailure {
		case extra.Deny:
			if !c.service.options.Shadow && !d.Rule.Modes.Shadow {
				r.OverallCode, r.Statuses[i].Code = over, over
			}
		case "":
			undecided = true
		}
	}
	if undecided && r.GetOverallCode() == ok {
		return nil, status.Error(codes.Unavailable, err.Error())
	}
	return r, nil
}
